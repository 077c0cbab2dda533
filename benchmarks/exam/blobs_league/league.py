import random
from dataclasses import dataclass


@dataclass
class Member:
    name: str
    weights: dict
    elo: float
    games: int = 0


class League:
    """The snapshots the current policy has to beat, with an Elo number for each."""
    K = 16
    MAX_MEMBERS = 8

    def __init__(self, firstWeights):
        self.members = [Member("gen0", firstWeights, 1000.0)]
        self.currentElo = 1000.0

    def pickOpponent(self):
        if random.random() < 0.4:
            return self.members[-1]
        # prefer the ones close to us
        odds = [1.0 / (50.0 + abs(m.elo - self.currentElo)) for m in self.members]
        return random.choices(self.members, odds)[0]

    def report(self, member, result):
        expected = 1 / (1 + 10 ** ((member.elo - self.currentElo) / 400))
        delta = self.K * ((result + 1) / 2 - expected)
        self.currentElo += delta
        member.elo -= delta
        member.games += 1

    def addSnapshot(self, name, weights):
        self.members.append(Member(name, weights, self.currentElo))
        if len(self.members) > self.MAX_MEMBERS:
            worst = min(self.members[:-1], key=lambda m: m.elo)
            self.members.remove(worst)

    def table(self):
        rows = [("current", self.currentElo, "")] + [(m.name, m.elo, m.games) for m in self.members]
        rows.sort(key=lambda r: -r[1])
        return "\n".join(f"   {n:<10}{e:8.0f}  {g}" for n, e, g in rows)
