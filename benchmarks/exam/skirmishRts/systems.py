import math

class EconomySystem:
    def update(self, engine):
        for unit in engine.units:
            if unit.kind != "worker" or unit.order != "harvest":
                continue
            base = engine.bases[unit.team]
            field = min(engine.fields, key=lambda f: math.hypot(f[0] - base.x, f[1] - base.y))
            if unit.cargo >= 8:
                unit.targetX, unit.targetY = base.x, base.y
                if unit.distanceTo(base) < 2.5:
                    engine.teams[unit.team].minerals += unit.cargo
                    engine.teams[unit.team].harvested += unit.cargo
                    unit.cargo = 0
            else:
                unit.targetX, unit.targetY = field[0], field[1]
                if math.hypot(unit.x - field[0], unit.y - field[1]) < 2.0:
                    unit.cargo += 1

class ProductionSystem:
    def update(self, engine):
        for team in engine.teams:
            if team.queue:
                team.queue[0][1] -= 1
            if team.queue and team.queue[0][1] <= 0:
                kind, _ = team.queue.pop(0)
                base = engine.bases[team.index]
                if len(engine.unitsOf(team.index)) < 24:
                    engine.spawn(team.index, kind, base.x + engine.rng.uniform(-3, 3), base.y + engine.rng.uniform(-3, 3))

class MovementSystem:
    def update(self, engine):
        for unit in engine.units:
            if unit.kind == "base" or unit.order == "idle":
                continue
            tx, ty = unit.targetX, unit.targetY
            if unit.targetUnit is not None:
                target = engine.findUnit(unit.targetUnit)
                if target is None:
                    unit.targetUnit = None
                else:
                    if unit.distanceTo(target) <= unit.stats[2] * 0.9:
                        continue
                    tx, ty = target.x, target.y
            dx, dy = tx - unit.x, ty - unit.y
            dist = math.sqrt(dx * dx + dy * dy)
            if dist < 0.5:
                if unit.order == "move":
                    unit.order = "idle"
                continue
            unit.x = min(63.5, max(0.5, unit.x + dx / dist * unit.stats[4]))
            unit.y = min(63.5, max(0.5, unit.y + dy / dist * unit.stats[4]))

class CollisionSystem:
    def update(self, engine):
        units = engine.units
        for i in range(len(units)):
            a = units[i]
            for j in range(i + 1, len(units)):
                b = units[j]
                dx, dy = b.x - a.x, b.y - a.y
                d2 = dx * dx + dy * dy
                if d2 < 0.49 and d2 > 1e-9:
                    d = math.sqrt(d2)
                    push = (0.7 - d) * 0.5
                    for u, sign in ((a, -1), (b, 1)):
                        if u.kind != "base":
                            u.x += sign * dx / d * push
                            u.y += sign * dy / d * push

class CombatSystem:
    def update(self, engine):
        for unit in engine.units:
            if unit.cooldown > 0:
                unit.cooldown -= 1
                continue
            if unit.kind == "worker" and unit.order == "harvest":
                continue
            victim, best = None, unit.stats[2]
            for other in engine.units:
                if other.team != unit.team and other.hp > 0:
                    d = unit.distanceTo(other)
                    if d <= best:
                        victim, best = other, d
            if victim:
                victim.hp -= unit.stats[1] * engine.rng.uniform(0.8, 1.2)
                unit.cooldown = unit.stats[3]
                if victim.hp <= 0:
                    engine.teams[unit.team].kills += 1
                    engine.teams[victim.team].losses += 1

class CleanupSystem:
    def update(self, engine):
        engine.units = [u for u in engine.units if u.hp > 0 or u.kind == "base"]
