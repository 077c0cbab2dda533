"""The rules. Actions: 0-3 use move, 4-6 switch to team slot 0-2."""
import copy
import random

from dex import CRITTERS, MOVES, effectiveness


class Critter:
    def __init__(self, name):
        self.name = name
        self.type, self.max_hp, self.attack, self.defense, self.speed, self.moves = CRITTERS[name]
        self.hp = self.max_hp
        self.status = None
        self.boost = 0
        self.pp = {m: 8 for m in self.moves}

    def alive(self):
        return self.hp > 0

class Battle:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.teams = [[Critter(n) for n in self.rng.sample(list(CRITTERS), 3)] for _ in range(2)]
        self.active = [0, 0]
        self.turn = 0
        self.log = []

    def me(self, side):
        return self.teams[side][self.active[side]]

    def legal_actions(self, side):
        actions = []
        me = self.me(side)
        if me.alive():
            actions = [i for i, m in enumerate(me.moves) if me.pp[m] > 0]
        for i, c in enumerate(self.teams[side]):
            if i != self.active[side] and c.alive():
                actions.append(4 + i)
        return actions or [0]

    def winner(self):
        for side in (0, 1):
            if not any(c.alive() for c in self.teams[side]):
                return 1 - side
        if self.turn >= 60:
            totals = [sum(c.hp / c.max_hp for c in t) for t in self.teams]
            return 0 if totals[0] > totals[1] else 1
        return None

    def play_turn(self, a0, a1):
        self.turn += 1
        chosen = [a0, a1]
        for side in (0, 1):
            if chosen[side] >= 4:
                self.active[side] = chosen[side] - 4
                self.me(side).boost = 0
                self.log.append(f"T{self.turn} side{side} sends out {self.me(side).name}")
        order = sorted((0, 1), key=lambda s: (-self.current_speed(s), self.rng.random()))
        for side in order:
            if chosen[side] < 4 and self.me(side).alive():
                self.use_move(side, chosen[side])
        for side in (0, 1):
            c = self.me(side)
            if c.status == "burn" and c.alive():
                c.hp = max(0, c.hp - c.max_hp // 12)

    def current_speed(self, side):
        c = self.me(side)
        return c.speed * (0.5 if c.status == "para" else 1.0)

    def use_move(self, side, index):
        user, target = self.me(side), self.me(1 - side)
        name = user.moves[index]
        kind, power, accuracy, effect = MOVES[name]
        user.pp[name] -= 1
        if user.status == "para" and self.rng.random() < 0.2:
            return self.log.append(f"T{self.turn} {user.name} is paralysed")
        if self.rng.random() > accuracy:
            return self.log.append(f"T{self.turn} {user.name} missed with {name}")
        damage = 0
        if power:
            damage = power * user.attack * (1 + 0.25 * user.boost) / target.defense * 0.45
            damage *= effectiveness(kind, target.type) * (1.3 if kind == user.type else 1.0)
            damage = int(damage * self.rng.uniform(0.85, 1.0))
            target.hp = max(0, target.hp - damage)
        if effect == "heal":
            user.hp = min(user.max_hp, user.hp + user.max_hp // 3)
        elif effect == "drain":
            user.hp = min(user.max_hp, user.hp + damage // 2)
        elif effect == "boost":
            user.boost = min(3, user.boost + 1)
        elif effect == "weaken":
            target.boost = max(-2, target.boost - 1)
        elif effect in ("burn", "para") and target.status is None and self.rng.random() < 0.25:
            target.status = effect
        self.log.append(f"T{self.turn} {user.name} used {name} for {damage}")

    def score(self, side):
        s = 0.0
        for i, team in enumerate(self.teams):
            sign = 1 if i == side else -1
            for c in team:
                s += sign * (c.hp / c.max_hp + (0.5 if c.alive() else 0) + 0.05 * c.boost - (0.1 if c.status else 0))
        return s


def trainer_choice(battle, side):
    """the computer trainer: tries every pair of actions on a copy and takes the best average"""
    best, best_value = None, -1e9
    replies = battle.legal_actions(1 - side)
    for mine in battle.legal_actions(side):
        total = 0.0
        for his in replies:
            sim = copy.deepcopy(battle)
            sim.play_turn(*((mine, his) if side == 0 else (his, mine)))
            total += sim.score(side)
        if total / len(replies) > best_value:
            best, best_value = mine, total / len(replies)
    return best
