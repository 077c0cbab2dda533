"""Tree search written in plain functions over lists and dictionaries: going down a tree is no playing."""

from __future__ import annotations

import textwrap

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import (
    ACT,
    ACT_PREDICT,
    ACT_SEARCH,
    ENV_OBSERVE,
    ENV_RESET,
    ENV_STEP,
    EVAL,
    LEARN_LOSS,
    REPLAY_ADD,
    ROLLOUT,
)
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def named(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


def stages(text: str) -> dict[str, str]:
    return {name: one.stage for name, one in named(text).items()}


RULES = """
    import copy
    import random
    import numpy as np
    import torch
    GRID, SIDE, TAKEN, LEAVES, N, W, P = range(7)
    def bare():
        return [0] * 25
    def lay(grid, at, side):
        after = grid.copy()
        after[at] = side
        for colour in (1, 2):
            if sum(one == colour for one in after) > 12:
                return after, colour
        return after, 0
    def gaps(grid):
        return [n for n in range(25) if grid[n] == 0]
    def drawn(grid, side):
        x = np.zeros((2, 5, 5), dtype=np.float32)
        for n, one in enumerate(grid):
            x[one == side, n // 5, n % 5] = 1
        return x
    def wire(trunk, x):
        h = trunk["low"](x)
        return trunk["high"](h), trunk["end"](h)
    def hunch(trunk, x):
        with torch.no_grad():
            p, v = wire(trunk, torch.from_numpy(x))
        return p.numpy(), float(v)
    def twig(grid, side, taken, p):
        return [grid, side, taken, None, 0, 0.0, p]
    def sprout(it, p):
        leaves = {}
        for n in gaps(it[GRID]):
            leaves[n] = twig(None, 3 - it[SIDE], 0, p[n])
        it[LEAVES] = leaves
"""
LISTS = """
    def lean(it):
        best, found = -9, None
        for n, leaf in it[LEAVES].items():
            u = leaf[W] / (1 + leaf[N]) + leaf[P]
            if u > best:
                best, found = u, n
        return found, it[LEAVES][found]
    def ponder(trunk, grid, side, rounds):
        root = twig(grid, side, 0, 1.0)
        x = drawn(grid, side)
        p, _ = hunch(trunk, x)
        sprout(root, p)
        for _ in range(rounds):
            it, path = root, [root]
            while it[LEAVES]:
                over = it
                at, it = lean(it)
                path.append(it)
            if it[GRID] is None:
                it[GRID], it[TAKEN] = lay(over[GRID], at, over[SIDE])
            if it[TAKEN]:
                v = -1.0
            else:
                x = drawn(it[GRID], it[SIDE])
                p, v = hunch(trunk, x)
                sprout(it, p)
            for one in reversed(path):
                one[N] += 1
                one[W] += v
                v = -v
        return [root[LEAVES][n][N] if n in root[LEAVES] else 0 for n in range(25)]
"""
#: A walk that is told how far to wander, by something that another function made.
DICTS = """
    def wander(n):
        return [random.random() for _ in range(n)]
    def lean(it, dust):
        found = max(it["leaves"], key=lambda n: it["leaves"][n]["w"] + dust[n])
        return it["leaves"][found], found, it["leaves"][found]["leaves"] is None
    def ponder(trunk, grid, side, rounds):
        root = {"grid": grid, "side": side, "leaves": {}, "w": 0.0}
        for _ in range(rounds):
            it, bottom = root, False
            dust = wander(25)
            while not bottom:
                over = it
                it, at, bottom = lean(it, dust)
            it["grid"], taken = lay(over["grid"], at, over["side"])
            x = drawn(it["grid"], 3 - over["side"])
            p, it["w"] = hunch(trunk, x)
        return [root["leaves"][n]["w"] for n in range(25)]
"""
#: One that plays to the end at random, and asks no network.
PLAYOUTS = """
    def scatter(grid, side):
        taken = 0
        while not taken:
            at = random.choice(gaps(grid))
            grid, taken = lay(grid, at, side)
            side = 3 - side
        return taken
    def ponder(trunk, grid, side, rounds):
        tally = [0] * 25
        for n in gaps(grid):
            for _ in range(rounds):
                after, taken = lay(grid, n, side)
                tally[n] += (taken or scatter(after, 3 - side)) == side
        return tally
"""
TRAINING = """
    def settle(tally, warm):
        if warm:
            return random.choices(range(25), weights=tally)[0]
        most = max(tally)
        return random.choice([n for n in range(25) if tally[n] == most])
    def bout(trunk, rounds):
        grid, side, taken, tale = bare(), 1, 0, []
        while not taken:
            tally = ponder(trunk, grid, side, rounds)
            at = settle(tally, warm=len(tale) < 6)
            picture = drawn(grid, side)
            tale.append((picture, tally, side))
            grid, taken = lay(grid, at, side)
            side = 3 - side
        return [(x, t, 1.0 if s == taken else -1.0) for x, t, s in tale]
    def correct(trunk, opt, rows):
        p, v = wire(trunk, rows)
        loss = p.mean() + v.mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    def years(trunk, opt):
        other = copy.deepcopy(trunk)
        rows = []
        for year in range(100):
            rows += bout(trunk, 30)
            correct(trunk, opt, rows)
            if year % 5 == 0 and versus(trunk, other, 4) > 2:
                other = copy.deepcopy(trunk)
    years(make(), None)
"""
VERSUS = """
    def versus(one, two, n):
        points = 0
        for game in range(n):
            grid, side, taken = bare(), 1, 0
            while not taken:
                tally = ponder(one if side == 1 else two, grid, side, 10)
                grid, taken = lay(grid, settle(tally, False), side)
                side = 3 - side
            points += taken == 1
        return points
"""


def _played(found: dict[str, NamedFunction]) -> None:
    assert [name for name, one in found.items() if one.counted] == ["lay"]
    what = {name: one.stage for name, one in found.items()}
    assert what["lay"] == ENV_STEP
    assert what["bare"] == ENV_RESET
    assert what["ponder"] == ACT_SEARCH
    assert what.get("lean", ACT_SEARCH) == ACT_SEARCH
    assert what["settle"] == ACT
    assert what["bout"] == ROLLOUT
    assert what["versus"] == EVAL
    assert what["correct"] == LEARN_LOSS
    assert "twig" not in what
    assert REPLAY_ADD not in what.values()


def test_nodes_that_are_lists() -> None:
    found = named(RULES + LISTS + VERSUS + TRAINING)
    _played(found)
    assert found["hunch"].stage == ACT_PREDICT
    assert found["drawn"].stage == ENV_OBSERVE


def test_nodes_that_are_dictionaries_and_a_walk_that_is_told_something() -> None:
    found = named(RULES + DICTS + VERSUS + TRAINING)
    _played(found)
    assert found["hunch"].stage == ACT_PREDICT
    assert found["drawn"].stage == ENV_OBSERVE


def test_games_that_are_played_out_at_random_in_a_search() -> None:
    found = named(RULES + PLAYOUTS + VERSUS + TRAINING)
    _played(found)
    assert "scatter" not in found or found["scatter"].stage == ACT_SEARCH


def test_a_turn_of_another_one_between_is_no_search() -> None:
    answer = """
    def answer(trunk, grid, side):
        p, _ = hunch(trunk, drawn(grid, side))
        return lay(grid, int(p.argmax()), side)
"""
    training = TRAINING.replace(
        "            side = 3 - side\n        return [(x",
        "            if not taken:\n                grid, taken = answer(trunk, grid, 3 - side)\n"
        "        return [(x",
    )
    assert training != TRAINING
    found = stages(RULES + LISTS + answer + VERSUS + training)
    assert found.get("answer") != ACT_SEARCH
    assert found["ponder"] == ACT_SEARCH


def test_a_state_that_goes_round_was_chosen_by_nobody() -> None:
    found = stages(
        """
        def open_list(path):
            return {"next": None}
        def follow(link, limit):
            return link["next"], link["value"] > limit
        def total(path):
            link, full = open_list(path), False
            while not full:
                link, full = follow(link, 3)
            return link
        total("x")
        """
    )
    assert ENV_STEP not in found.values()
