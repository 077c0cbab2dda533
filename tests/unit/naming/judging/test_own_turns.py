"""A player's own method that gives the game its move, and does more beside it."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.stage import ACT, ENV_OBSERVE, ENV_STEP, LEARN_LOSS, REPLAY_ADD
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

PROGRAM = """
    import torch
    class Inn:
        def zz(self, move):
            self.coins -= move
            self.night += 1
            return self.night > 30
    class Eyes:
        def look(self, inn):
            return [inn.coins, inn.night]
    class Cook:
        def __init__(self):
            self.inn, self.eyes, self.net = Inn(), Eyes(), torch.nn.Linear(2, 3)
            self.seen = self.eyes.look(self.inn)
        def muse(self, seen):
            with torch.no_grad():
                return int(self.net(torch.tensor(seen)).argmax())
        def day(self, move):
            TURN
        def gather(self):
            for i in range(500):
                move = self.muse(self.seen)
                gain, shut = self.day(move)
                self.book[i] = self.seen, move, gain
                if shut:
                    self.closed += 1
        def chew(self):
            loss = self.net(self.book).mean()
            loss.backward()
            self.opt.step()
    def main():
        cook = Cook()
        while True:
            cook.gather()
            cook.chew()
    main()
"""
TURNS = {
    "a name of its own": """
            shut = self.inn.zz(move)
            self.seen = self.eyes.look(self.inn)
            return self.inn.coins, shut
    """,
    "at once": """
            self.purse += 1
            return self.purse, self.inn.zz(move)
    """,
    "the name of another parameter": """
            gain = self.inn.coins
            over = self.inn.zz(move=move)
            self.seen = self.eyes.look(self.inn)
            return gain, over
    """,
}


def stages(turn: str) -> dict[str, tuple[str, bool]]:
    text = textwrap.dedent(PROGRAM.replace("            TURN", turn.strip("\n").rstrip()))
    return {one.function: (one.stage, one.counted) for one in decide([read(text, "/program/train.py")])}


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_the_step_is_what_it_gives_the_move_to(turn: str) -> None:
    found = stages(turn)
    assert found["Inn.zz"] == (ENV_STEP, True)
    assert found["Cook.muse"] == (ACT, False)
    assert found["Cook.chew"][0] == LEARN_LOSS
    assert "Cook.day" not in found
    if "Eyes.look" in found:
        assert found["Eyes.look"][0] == ENV_OBSERVE


def test_what_it_only_remembers_is_no_step() -> None:
    found = stages("""
            self.inn.night += 1
            self.eyes.look(move)
            return 0.0, self.inn.night > 30
    """)
    assert found.get("Eyes.look", ("",))[0] != ENV_STEP
    assert REPLAY_ADD not in {stage for stage, _ in found.values()}
