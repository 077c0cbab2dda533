"""A tree whose nodes keep games of their own, copied and moved on; the played game is kept in the root."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.stage import ACT_PREDICT, ACT_SEARCH, ENV_OBSERVE, ENV_STEP
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

PROGRAM = """
    import numpy as np
    import torch
    class Reef:
        def __init__(self):
            self.cells, self.who, self.quiet = [0] * 16, 1, 0
        def twin(self):
            other = TWIN
            other.cells, other.who, other.quiet = self.cells[:], self.who, self.quiet
            return other
        def free(self):
            return [spot for spot in range(16) if not self.cells[spot]]
        def settle(self, spot):
            self.cells[spot] = self.who
            self.who = -self.who
            return self
        def full(self):
            return all(self.cells)
        def sketch(self):
            picture = np.zeros((2, 16), np.float32)
            for spot in range(16):
                picture[0, spot] = self.cells[spot] == self.who
            return picture
    class Polyp(torch.nn.Module):
        def forward(self, x):
            return self.a(x), self.b(x)
    def ask(polyp, reef):
        picture = reef.sketch()
        spots = reef.free()
        with torch.no_grad():
            chances, worth = polyp(torch.from_numpy(picture)[None])
        return spots, chances[0].numpy()[spots].tolist(), worth.item()
    class Knot:
        def __init__(self, chance):
            self.reef, self.chance, self.seen, self.sum, self.below = None, chance, 0, 0.0, None
    class Branches:
        def __init__(self, polyp):
            self.polyp = polyp
        def sprout(self, knot):
            spots, chances, worth = ask(self.polyp, knot.reef)
            knot.below = {spot: Knot(chance) for spot, chance in zip(spots, chances)}
            return worth
        def go(self, root, times):
            if root.below is None:
                self.sprout(root)
            for _ in range(times):
                knot, way = root, [root]
                while knot.below:
                    spot = max(knot.below, key=lambda one: knot.below[one].chance)
                    after = knot.below[spot]
                    if after.reef is None:
                        after.reef = knot.reef.twin().settle(spot)
                    knot = after
                    way.append(knot)
                worth = 1.0 if knot.reef.full() else self.sprout(knot)
                for one in reversed(way):
                    one.seen += 1
                    one.sum += worth
                    worth = -worth
            return np.array([one.seen for one in root.below.values()])
    def play(polyp):
        branches, reef = Branches(polyp), Reef()
        root = Knot(1.0)
        root.reef = reef
        kept = []
        while not reef.full():
            often = branches.go(root, 20)
            kept.append((reef.sketch(), often))
            spot = int(often.argmax())
            MOVE
            root = root.below[spot]
            root.reef = reef
        return kept
    def learn(polyp, steps, rows):
        chances, worth = polyp(rows)
        (chances.mean() + worth.mean()).backward()
        steps.step()
    def main():
        polyp = Polyp()
        steps = torch.optim.Adam(polyp.parameters())
        while True:
            learn(polyp, steps, torch.tensor(play(polyp)))
    main()
"""


MOVES = [
    "reef = reef.twin().settle(spot)",
    "reef.settle(spot)",
    "after = reef.twin(); after.settle(spot); reef = after",
    "after = reef.twin(); reef = after.settle(spot)",
]


def stages(twin: str, move: str) -> dict[str, str]:
    """Whole functions of the program, with its way to copy and to move."""
    text = textwrap.dedent(PROGRAM.replace("TWIN", twin).replace("MOVE", move))
    return {
        one.function: one.stage
        for one in decide([read(text, "/program/train.py")])
        if one.own_counters is None
    }


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("twin", ["Reef()", "Reef.__new__(Reef)"])
def test_what_a_search_keeps_in_its_tree_is_not_what_it_sees(twin: str, move: str) -> None:
    found = stages(twin, move)
    assert found["Branches.go"] == ACT_SEARCH
    assert found["ask"] == ACT_PREDICT
    assert found["Reef.sketch"] == ENV_OBSERVE
    assert found["Reef.settle"] == ENV_STEP
    assert found["Reef.twin"] == ENV_STEP  # a copy is no observation
