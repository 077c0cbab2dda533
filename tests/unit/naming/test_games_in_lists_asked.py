"""Many games beside each other, told by a list of choices: they are asked, and answer nothing."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ACT, ENV_OBSERVE, ENV_OPPONENT, ENV_STEP, EVAL, ROLLOUT
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

GAME = """
    import random, torch
    class Guest:
        def __init__(self, purse): self.purse = purse
        def choose(self, dishes):
            best = None
            for dish in dishes:
                if dish <= self.purse: best = dish
            return best
    class Inn:
        def __init__(self): self.open_up()
        def open_up(self): self.gold, self.evening, self.shut, self.busy = 40.0, 0, False, True
        def serve(self, dish):
            for _ in range(9):
                guest = Guest(random.random())
                self.gold += guest.choose([dish, 0.2]) or 0
            self.evening += 1
            if self.evening >= 60: self.shut, self.busy = True, False
        def sketch(self): return [self.gold, self.evening]
    class Cook:
        def pick(self, views):
            with torch.no_grad():
                return self.net(views).argmax(-1)
        def drill(self, rows):
            loss = self.net(rows).mean()
            loss.backward()
            self.opt.step()
"""
TRAINING = """
    def collect(inns, cook):
        rows, views = [], [inn.sketch() for inn in inns]
        for _ in range(20):
            dishes = cook.pick(views)
            for inn, dish in zip(inns, dishes): inn.serve(dish)
            over = [inn.shut for inn in inns]
            for inn in inns:
                if inn.shut: inn.open_up()
            rows.append((views, dishes, over))
            views = [inn.sketch() for inn in inns]
        return rows
    def main():
        inns, cook = [Inn() for _ in range(8)], Cook()
        for number in range(900):
            cook.drill(collect(inns, cook))
            if number % 50 == 49: print(trial(cook))
"""
TESTS = {
    "all are over": """
    def trial(cook):
        inns = [Inn() for _ in range(4)]
        while not all(inn.shut for inn in inns):
            for inn, dish in zip(inns, cook.pick([inn.sketch() for inn in inns])):
                if not inn.shut: inn.serve(dish)
        return sum(inn.gold for inn in inns)
    """,
    "by another name": """
    def trial(cook):
        several = [Inn() for _ in range(4)]
        while True:
            if all([one.shut for one in several]): break
            dishes = cook.pick([one.sketch() for one in several])
            for inn, dish in zip(several, dishes): inn.serve(dish)
        return sum(one.gold for one in several)
    """,
    "any goes on": """
    def trial(cook):
        several = [Inn() for _ in range(4)]
        while any(one.busy for one in several):
            dishes = cook.pick([one.sketch() for one in several])
            for number, inn in enumerate(several): inn.serve(dishes[number])
        return sum(one.gold for one in several)
    """,
}


def functions(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


@pytest.mark.parametrize("kind", TESTS)
def test_the_games_are_asked_whether_they_are_over(kind: str) -> None:
    found = functions(GAME + TRAINING + TESTS[kind])
    assert [name for name, one in found.items() if one.counted] == ["Inn.serve"]
    said = "not self.busy" if "busy" in TESTS[kind] else "self.shut"
    assert (found["Inn.serve"].stage, found["Inn.serve"].ends_at) == (ENV_STEP, said)
    assert found["Inn.sketch"].stage == ENV_OBSERVE
    assert found["Cook.pick"].stage == ACT
    assert found["trial"].stage == EVAL


def test_the_trainings_loop_plays_though_it_asks_nothing_that_ends_it() -> None:
    assert functions(GAME + TRAINING + TESTS["all are over"])["collect"].stage == ROLLOUT


def test_a_guest_that_is_made_for_a_turn_is_no_opponent() -> None:
    """It chooses too, and the game asks it; but a player lives longer than a turn."""
    found = functions(GAME + TRAINING + TESTS["all are over"])
    assert "Guest.choose" not in found
    staying = GAME.replace("guest = Guest(random.random())", "guest = self.guest").replace(
        "self.gold, self.evening, self", "self.guest = Guest(3); self.gold, self.evening, self"
    )
    assert functions(staying + TRAINING + TESTS["all are over"])["Guest.choose"].stage == ENV_OPPONENT
