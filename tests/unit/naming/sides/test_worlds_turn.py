"""The world moves in a call of its own, after the agent's; and where games are begun again."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ENV_OPPONENT, ENV_RESET, ENV_STEP
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def named(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


MEADOW = """
    import random
    class Meadow:
        def __init__(self): self.anew()
        def anew(self):
            self.dog, self.hour = 0, 0
            self.flock = [Sheep() for _ in range(8)]
            self.cats = [3, 4]
        def bark(self, way):
            spot = self.dog + way
            self.dog = spot
            self.hour += 1
        def free(self): return [one for one in self.flock if one.out]
        def paths(self, spot):
            return dict.fromkeys(range(spot))
        def others(self):
            {others}
        def flee(self, sheep):
            sheep.tired += 1
            near = self.paths(self.dog)
            best, where = -1, sheep.spot
            for way in (-1, 1):
                worth = near.get(sheep.spot + way, 9)
                if worth > best:
                    best, where = worth, sheep.spot + way
            sheep.spot = where
        def stalk(self, i):
            me = self.cats[i]
            self.cats[i] = min((me - 1, me + 1), key=lambda spot: abs(spot - self.dog))
        def grow(self):
            self.hour += 1
            for sheep in self.flock:
                sheep.out = sheep.wool > 3
        def finished(self): return not self.free() or self.hour > 90
        def see(self): return [self.dog, self.hour, len(self.cats)]
        def praise(self): return len(self.flock)
    class Dog:
        def wish(self, seen): return max(seen)
    def timed(fn, *rest):
        return fn(*rest)
    def season():
        meadow, dog, diary = Meadow(), Dog(), []
        seen = timed(meadow.see)
        while len(diary) < 9000:
            way = timed(dog.wish, seen)
            timed(meadow.bark, way)
            timed(meadow.others)
            gain = timed(meadow.praise)
            after = timed(meadow.see)
            over = meadow.finished()
            diary.append((seen, way, gain, after, over))
            seen = after
            {again}
"""
AGAIN = "if over:\n                meadow.anew()\n                seen = meadow.see()"


@pytest.mark.parametrize(
    ("others", "stage"),
    [
        ("for one in self.free():\n                self.flee(one)", ENV_OPPONENT),
        ("for i in range(len(self.cats)):\n                self.stalk(i)", ENV_OPPONENT),
        ("for one in self.flock:\n                self.flee(one)", ENV_OPPONENT),
        ("self.grow()", ENV_STEP),  # nobody chooses there: the game goes on
    ],
)
def test_the_world_moves_after_the_agent(others, stage):
    found = named(MEADOW.format(others=others, again=AGAIN))
    assert found["Meadow.bark"].stage == ENV_STEP
    assert found["Meadow.others"].stage == stage
    assert not found["Meadow.others"].counted


def test_what_changes_nothing_after_a_step_is_no_part_of_it():
    found = named(MEADOW.format(others="print(self.paths(3), len(self.free()))", again=AGAIN))
    assert "Meadow.others" not in found


@pytest.mark.parametrize(
    ("again", "counted"),
    [
        (AGAIN, True),
        ("if over or meadow.hour > 50:\n                meadow.anew()", True),
        ("if len(diary) > 50:\n                meadow.anew()", False),  # nobody knows that it is over
    ],
)
def test_what_begins_a_game_where_the_last_one_is_over_tells_of_games_that_ended(again, counted):
    reset = named(MEADOW.format(others="self.grow()", again=again)).get("Meadow.anew")
    assert (reset is not None and reset.stage == ENV_RESET and reset.counted) == counted


def test_what_begins_a_game_before_its_loop_tells_of_beginnings():
    text = MEADOW.format(others="self.grow()", again="pass")
    text = text.replace("        while len(diary) < 9000:", "        while len(diary) < 9000:\n{inner}")
    inner = """            meadow.anew()
            while not meadow.finished():
                meadow.bark(dog.wish(meadow.see()))
"""
    assert not named(text.format(inner=inner))["Meadow.anew"].counted
