"""Hubs of several games: each game's own step is counted, the hub's call is none of its own."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ACT, ENV_RESET, ENV_STEP, ROLLOUT
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

GAME = """
    class Burrow:
        def __init__(self): self.dig_in()
        def dig_in(self): self.depth, self.days = 0, 0
        def sniff(self): return [self.depth, self.days]
        def rummage(self, where):
            self.depth += 1 if where else -1
            self.days += 1
            return self.sniff(), self.depth * 0.1, self.days > 30 or self.depth > 9
"""
HUBS = {
    "those that are over wait": """
    class Hub:
        def __init__(self, many): self.games, self.over = [Burrow() for _ in range(many)], np.ones(many, bool)
        def reset(self):
            for game in self.games: game.dig_in()
            self.over[:] = False
            return np.stack([game.sniff() for game in self.games])
        def step(self, moves):
            views, gains = [], []
            for place, (game, move) in enumerate(zip(self.games, moves)):
                if self.over[place]:
                    views.append(game.sniff())
                    gains.append(0.0)
                    continue
                v, g, o = game.rummage(move)
                views.append(v)
                gains.append(g)
                self.over[place] = o
            return np.stack(views), np.array(gains), self.over.copy(), {}
    """,
    "each begins anew": """
    class Hub:
        def __init__(self, many): self.games = [Burrow() for _ in range(many)]
        def reset(self):
            for game in self.games: game.dig_in()
            return [game.sniff() for game in self.games]
        def step(self, moves):
            views, gains, dones = [], [], []
            for game, move in zip(self.games, moves):
                v, g, o = game.rummage(move)
                if o:
                    game.dig_in()
                    v = game.sniff()
                views.append(v)
                gains.append(g)
                dones.append(o)
            return views, gains, dones, None
    """,
    "into arrays": """
    class Hub:
        def __init__(self, many): self.games = [Burrow() for _ in range(many)]
        def reset(self):
            for game in self.games: game.dig_in()
            return np.array([game.sniff() for game in self.games])
        def step(self, moves):
            done = np.zeros(len(self.games), bool)
            gain = np.zeros(len(self.games))
            for i, game in enumerate(self.games):
                for number, move in enumerate(moves[i:i + 1]):
                    v, g, o = game.rummage(move)
                    self.view[i] = v
                    gain[i] = g
                    done[i] = o
            return self.view, gain, done, {}
    """,
}
UNITS = """
    class Hub:
        def __init__(self, many): self.games = [Burrow() for _ in range(many)]
        def reset(self):
            for game in self.games: game.dig_in()
            return [game.sniff() for game in self.games]
        def step(self, moves):
            earned, dead = 0.0, 0
            for game, move in zip(self.games, moves):
                v, g, o = game.rummage(move)
                earned += g
                dead += o
            return [game.sniff() for game in self.games], earned, dead == len(self.games), {}
"""
TRAINING = """
    import numpy as np
    def choose(views, w):
        return (views @ w > 0).astype(int)
    def main():
        hub, w = Hub(8), np.zeros(3)
        for number in range(150):
            views, done = hub.reset(), np.zeros(8, bool)
            while not done.all():
                moves = choose(views, w)
                views, gains, done, _ = hub.step(moves)
                w += 1e-4 * (gains @ views)
"""


def functions(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


@pytest.mark.parametrize("kind", HUBS)
def test_the_games_are_counted_and_not_the_hub(kind: str) -> None:
    found = functions(GAME + HUBS[kind] + TRAINING)
    assert [name for name, one in found.items() if one.counted] == ["Burrow.rummage"]
    assert found["Burrow.rummage"].ends_at == 2
    assert (found["Hub.step"].stage, found["Hub.reset"].stage) == (ENV_STEP, ENV_RESET)
    assert (found["choose"].stage, found["main"].stage) == (ACT, ROLLOUT)


def test_the_pieces_of_one_game_are_no_games() -> None:
    """What they earn is added up, and they are over together."""
    text = TRAINING.replace("done.all()", "done").replace("np.zeros(8, bool)", "False")
    found = functions(GAME + UNITS + text)
    assert [name for name, one in found.items() if one.counted] == ["Hub.step"]
