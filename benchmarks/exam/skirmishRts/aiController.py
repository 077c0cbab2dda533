class AIController:
    """Scripted enemy: macro a bit, defend, attack in waves."""
    def __init__(self, team, rng):
        self.team, self.rng = team, rng
        self.restart()
    def restart(self):
        self.waveSize, self.attacking = 8, False
    def threatAt(self, engine, x, y, radius):
        power = 0.0
        for unit in engine.units:
            d = ((unit.x - x) ** 2 + (unit.y - y) ** 2) ** 0.5
            if d < radius and unit.kind != "base":
                strength = unit.hp * unit.stats[1] / 100.0
                power += strength if unit.team != self.team else -strength
        return power
    def influenceMap(self, engine):
        return {(gx, gy): self.threatAt(engine, gx + 4, gy + 4, 9.0) for gx in range(0, 64, 8) for gy in range(0, 64, 8)}
    def think(self, engine):
        workers = engine.unitsOf(self.team, "worker")
        army = engine.unitsOf(self.team, "soldier", "archer")
        engine.enqueue(self.team, "worker" if len(workers) < 7 else "soldier" if self.rng.random() < 0.6 else "archer")
        base = engine.bases[self.team]
        enemies = engine.unitsOf(1 - self.team)
        intruders = [e for e in enemies if e.distanceTo(base) < 16]
        if intruders:
            for unit in army:
                target = min(intruders, key=unit.distanceTo)
                unit.order, unit.targetUnit = "attack", target.uid
            return
        grid = self.influenceMap(engine)
        self.attacking = self.attacking or len(army) >= self.waveSize
        if self.attacking:
            if len(army) < 3:
                self.attacking = False
                self.waveSize = min(12, self.waveSize + 1)
            for unit in army:
                # go for whatever is weakly defended
                target = min(enemies, key=lambda e: unit.distanceTo(e) + 3.0 * grid[int(e.x) // 8 * 8, int(e.y) // 8 * 8])
                unit.order, unit.targetUnit = "attack", target.uid
        else:
            for unit in army:
                unit.order, unit.targetUnit = "move", None
                unit.targetX, unit.targetY = base.x - 5, base.y - 5
