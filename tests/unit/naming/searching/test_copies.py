"""Moves that are tried on copies of the game are no steps, wherever they are made."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import TRIED
from goldsplit.model.stage import ENV_OPPONENT, ENV_STEP
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

PROGRAM = """
    import asyncio, copy, random
    class Pond:
        def __init__(self): self.fish, self.empty, self.left = [3, 3], False, 9
        def cast(self, bait):
            self.left -= bait
            self.empty = self.left <= 0
        def twin(self): return copy.deepcopy(self)
        def baits(self): return [1, 2, 3]
    class Angler:
        def wish(self, view):
            with torch.no_grad():
                return int(self.net(view).argmax())
        async def day(self, rival, out):
            while True:
                pond = Pond()
                while not pond.empty:
                    mine = self.wish(look(pond))
                    his = await rival.wish(pond)
                    pond.cast([mine, his])
                    out.put((mine, pond.left))
    def look(pond): return torch.tensor(pond.fish)
    def gauge(pond, bait):
        BODY
    class Old:
        async def wish(self, pond):
            with pool() as hands:
                found = hands.map(gauge, [pond] * 3, pond.baits())
            return max(found)
    def learn(net, rows):
        loss = net(rows).mean()
        loss.backward()
    asyncio.run_coroutine_threadsafe(Angler().day(Old(), box), loop)
    while True:
        learn(net, box.get())
"""


def tried(body: str) -> list[str]:
    text = textwrap.dedent(PROGRAM).replace("BODY", ("\n" + " " * 4).join(body.split("; ")))
    found = decide([read(text, "/program/train.py")])
    steps = [one.function for one in found if one.counted and one.stage == ENV_STEP]
    assert steps == ["Pond.cast"]
    assert [one.stage for one in found if one.function == "Old.wish"] == [ENV_OPPONENT]
    return [text.splitlines()[one.first - 1].strip() for one in found if one.ends_at == TRIED]


@pytest.mark.parametrize("copied", ["copy.deepcopy(pond)", "pond.twin()", "pond.clone()"])
def test_a_move_on_a_copy(copied: str) -> None:
    assert tried(f"other = {copied}; other.cast([bait, 1]); return -other.left") == ["other.cast([bait, 1])"]


@pytest.mark.parametrize(
    "body",
    [
        "pond.cast([bait, 1]); return -pond.left",  # the game itself
        "other = copy.deepcopy(pond); other.cast([bait, 1]); return other",  # it may be the next state
        "pond = pond.twin(); shelf.append(pond); pond.cast([bait, 1]); return 1",
        "other = pond.twin(); pond = other; other.cast([bait, 1]); return 1",
        "other = pond.twin()\n    while not other.empty:\n        other.cast([1, 1])\n    return 1",
    ],
)
def test_what_may_be_played_on(body: str) -> None:
    assert tried(body) == []
