"""After-states that are learned from in the very loop that plays: no framework, numbers changed each turn."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import BY_PURPOSE
from goldsplit.model.stage import ACT, CHECKPOINT, ENV_MASK, ENV_OBSERVE, ENV_STEP, LEARN_LOSS
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def stages(text: str) -> dict[str, str]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one.stage for one in found if one.own_counters is None}


RULES = """
    import time
    import numpy as np
    now = time.perf_counter
    spent = {}
    def since(what, before):
        after = now()
        spent[what] = spent.get(what, 0.0) + after - before
        return after
    def throw(dice):
        return int(dice.integers(1, 7))
    def turned(pegs):
        return pegs[1], pegs[0]
    def reachable(pegs, eyes):
        found = []
        for n in range(12):
            if pegs[0][n]:
                mine = list(pegs[0])
                mine[n] -= 1
                mine[(n + eyes) % 12] += 1
                found.append((tuple(mine), pegs[1]))
        return found
    def figures(pegs):
        out = []
        for side in pegs:
            for n in side:
                out.append(n / 4)
        return np.array(out)
"""
TABLE = """
    class Parlour:
        def __init__(self, dice):
            self.dice = dice
            self.again()
        def again(self):
            self.pegs = ((4,) + (0,) * 11, (4,) + (0,) * 11)
            self.eyes = throw(self.dice)
        def settle(self, pegs):
            if pegs[0][11] == 4:
                return True
            self.pegs = turned(pegs)
            self.eyes = throw(self.dice)
            return False
"""
OBJECT = """
    class Judge:
        def __init__(self, n):
            self.w, self.trace = np.zeros(n), np.zeros(n)
        def worth(self, rows):
            return np.tanh(rows @ self.w)
        def nudge(self, row, wanted):
            self.trace = 0.7 * self.trace + row
            gap = wanted - np.tanh(row @ self.w)
            self.w += 0.1 * gap * self.trace
            return gap
        def keep(self, path):
            np.savez_compressed(path, w=self.w)
    dice = np.random.default_rng(1)
    parlour, judge = Parlour(dice), Judge(24)
    while now() < 100:
        t = now()
        parlour.again()
        t = since("begin", t)
        last, out = None, False
        while not out:
            ways = reachable(parlour.pegs, parlour.eyes)
            t = since("ways", t)
            rows = np.stack([figures(way) for way in ways])
            t = since("rows", t)
            v = judge.worth(rows)
            k = int(np.argmax(v))
            if last is not None:
                judge.nudge(last, 1.0 - v[k])
                t = since("learn", t)
            last = rows[k]
            out = parlour.settle(ways[k])
            if out:
                judge.nudge(last, 1.0)
        judge.keep("judge.npz")
"""
#: The state is a value, the weights are a dictionary.
VALUES = """
    def settle(pegs, dice):
        if pegs[0][11] == 4:
            return pegs, 0, True
        return turned(pegs), throw(dice), False
    def worth(brain, rows):
        return np.tanh(rows @ brain["w"] + brain["b"])
    def nudge(brain, row, wanted):
        gap = wanted - np.tanh(row @ brain["w"] + brain["b"])
        brain["w"] += 0.1 * gap * row
        brain["b"] += 0.1 * gap
        return gap
    def evening(brain, dice):
        pegs, eyes, out, last = opening(), throw(dice), False, None
        while not out:
            ways = reachable(pegs, eyes)
            rows = np.stack([figures(way) for way in ways])
            v = worth(brain, rows)
            k = int(np.argmax(v))
            if last is not None:
                nudge(brain, last, 1.0 - v[k])
            last = rows[k]
            pegs, eyes, out = settle(ways[k], dice)
        nudge(brain, last, 1.0)
    def opening():
        return ((4,) + (0,) * 11, (4,) + (0,) * 11)
    def season():
        brain, dice = {"w": np.zeros(24), "b": 0.0}, np.random.default_rng(1)
        for _ in range(1000):
            evening(brain, dice)
    season()
"""
#: A table of the module, and a list of arrays that are taken apart.
TABLES = (
    VALUES.replace('brain["w"]', "WEIGHTS")
    .replace('brain["b"] += 0.1 * gap', "pass")
    .replace('+ brain["b"]', "")
)
TAKEN_APART = (
    VALUES.replace('{"w": np.zeros(24), "b": 0.0}', "[np.zeros(24), np.zeros(1)]")
    .replace("gap = wanted", "w, b = brain\n        gap = wanted")
    .replace("return np.tanh(rows", "w, b = brain\n        return np.tanh(rows")
    .replace('brain["w"]', "w")
    .replace('brain["b"]', "b")
)


def test_an_object_that_is_told_each_turn_what_it_should_have_said() -> None:
    found = stages(RULES + TABLE + OBJECT)
    assert found["Parlour.settle"] == ENV_STEP
    assert found["reachable"] == ENV_MASK
    assert found["figures"] == ENV_OBSERVE
    assert found["Judge.worth"] == ACT
    assert found["Judge.nudge"] == LEARN_LOSS
    assert found["Judge.keep"] == CHECKPOINT
    assert not {"since", "throw", "turned"} & set(found)


@pytest.mark.parametrize("program", [VALUES, TABLES, TAKEN_APART])
def test_weights_that_are_handed_around(program: str) -> None:
    found = stages(RULES + program)
    assert found["settle"] == ENV_STEP
    assert found["reachable"] == ENV_MASK
    assert found["figures"] == ENV_OBSERVE
    assert found["worth"] in (ACT, BY_PURPOSE)
    assert found["nudge"] == LEARN_LOSS
    assert "turned" not in found


def test_notes_and_means_are_no_learning() -> None:
    noting = """
    def noted(brain, row):
        brain["b"] += row.mean()
    def written(sheet, what, much):
        sheet[what] += much
"""
    program = VALUES.replace("nudge(brain, last, 1.0 - v[k])", "noted(brain, last)").replace(
        "nudge(brain, last, 1.0)", "written(spent, 'x', v[k])"
    )
    found = stages(RULES + noting + program)
    assert "noted" not in found
    assert "written" not in found


def test_proposals_of_the_agent_are_no_mask() -> None:
    program = VALUES.replace("reachable(pegs, eyes)", "dreamt(pegs, eyes)")
    dreaming = """
    def dreamt(pegs, eyes):
        return [tuple(np.random.choice(pegs[0], 12)) for _ in range(9)]
"""
    assert stages(RULES + dreaming + program).get("dreamt") != ENV_MASK


def test_what_times_itself_is_no_clock() -> None:
    timed = (
        "def figures(pegs):\n        before = now()",
        'spent["figures"] = now() - before\n        return np.array(out)',
    )
    rules = RULES.replace("def figures(pegs):", timed[0]).replace("return np.array(out)", timed[1])
    found = stages(rules + TABLE + OBJECT)
    assert found["figures"] == ENV_OBSERVE
    assert "since" not in found


def test_the_line_that_puts_together_what_is_seen_of_each_move() -> None:
    found = decide([read(textwrap.dedent(RULES + VALUES), "/program/train.py")])
    lines = [one for one in found if one.own_counters is not None and one.stage == ENV_OBSERVE]
    assert [one.function for one in lines] == ["evening"]
    assert all(one.first == one.last for one in lines)


def test_rounds_of_one_game_begin_no_game() -> None:
    inner = """
    class Inn:
        def __init__(self, seed):
            self.over, self.round, self.coins = False, 0, 0
        def shelf(self):
            return np.array([self.coins, self.round])
        def buy(self, what):
            self.coins -= what
            return what == 3
        def night(self):
            for guest in range(9):
                self.coins += guest
            self.round += 1
            self.over = self.round > 9
    def stay(w, seed):
        inn = Inn(seed)
        while not inn.over:
            shut = False
            while not shut:
                seen = inn.shelf()
                what = choose(w, seen)
                shut = inn.buy(what)
            inn.night()
        return inn.coins
    def choose(w, seen):
        return int(np.argmax(w @ seen))
    def ages():
        w = np.zeros((4, 2))
        for seed in range(100):
            w += 0.1 * stay(w, seed)
    ages()
"""
    found = stages("    import numpy as np\n" + inner)
    assert found["Inn.buy"] == ENV_STEP
    assert found.get("Inn.night") != "env.reset"
