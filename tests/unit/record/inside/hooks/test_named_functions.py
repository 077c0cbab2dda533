"""The user's own functions that their source names: what counts as a step, and where it says its end."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import pytest

from goldsplit.model.named_code import NOT_SAID, WHOLE_RESULT, NamedFunction, denied
from goldsplit.model.stage import ENV_STEP
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks import named_functions
from goldsplit.record.inside.hooks.named_functions import asked_of_game, end_in, end_of, stage_as


@dataclass(slots=True)
class Outcome:
    over: bool


class Strict(dict):  # type: ignore[type-arg]
    def __getattr__(self, name: str) -> Any:
        raise KeyError(name)


class Odd:
    def __getattr__(self, name: str) -> Any:
        raise KeyError(name)


@pytest.mark.parametrize(
    ("result", "ends_at", "found"),
    [
        ((1.0, True), 1, (True, True)),
        ((1.0,), 1, (False, None)),
        (True, WHOLE_RESULT, (True, True)),
        ((1, 2), NOT_SAID, (False, None)),
        (Outcome(True), "over", (True, True)),
        (namedtuple("Out", "over")(False), "over", (True, False)),
        ({"over": True}, "over", (True, True)),
        (Outcome(True), "missing", (False, None)),
        (True, denied(WHOLE_RESULT), (True, False)),
        ((1.0, False), denied(1), (True, True)),
        ((1.0, [True, False]), denied(1), (True, [False, True])),
        ((1.0,), denied(1), (False, True)),
        ({"alive": False}, denied("alive"), (True, True)),
        ((1.0, {"all": True}), "1.all", (True, True)),
        ((1.0,), "1.all", (False, None)),
        ({"lost": False, "home": True}, "lost or home", (True, True)),
        ({"lost": False, "alive": True}, "lost or not alive", (True, False)),
        ({"lost": True}, "lost or home", (False, True)),
    ],
)
def test_where_a_result_says_its_end(result: Any, ends_at: int | str, found: tuple[bool, Any]) -> None:
    assert end_in(result, ends_at) == found


def test_an_object_that_answers_in_its_own_way_is_not_asked() -> None:
    assert end_in(Strict(), "over") == (False, None)
    assert end_in(Odd(), "over") == (False, None)


@pytest.mark.parametrize(
    ("ends_at", "result", "counts"),
    [
        (NOT_SAID, "the next state", {"own_env_steps": 300}),
        (1, (0.5, False), {"own_env_steps": 300, "own_episodes": 0}),
        (1, (0.5, True), {"own_env_steps": 300, "own_episodes": 300}),
    ],
)
def test_every_call_of_a_named_step_counts(
    state: ThreadState, ends_at: int, result: Any, counts: dict[str, int]
) -> None:
    class Rules:
        def after(self, move: int) -> Any:
            return result

    stage_as(Rules, "after", NamedFunction("game.py", "Rules.after", 1, 2, ENV_STEP, "", True, ends_at))
    rules = Rules()
    for move in range(300):
        assert rules.after(move) == result
    assert state.counts == counts


class Match:
    def __init__(self, **stored: object) -> None:
        self.__dict__.update(stored)

    @property
    def decided(self) -> bool:
        raise AssertionError("a property is the program's own code")


@pytest.mark.parametrize(
    ("ends_at", "stored", "found"),
    [
        ("self.over", {"over": True}, (True, True)),
        ("self.over", {"over": 0}, (True, False)),
        ("not self.running", {"running": False}, (True, True)),
        ("self.winner is not None", {"winner": None}, (True, False)),
        ("self.winner is not None", {"winner": 0}, (True, True)),
        ("self.won or self.lost", {"won": False, "lost": True}, (True, True)),
        ("self.queue is None", {"queue": None}, (True, True)),
        ("self.over", {}, (False, False)),
        ("self.over or self.decided", {"over": True}, (False, False)),
    ],
)
def test_a_game_says_itself_that_it_is_over(
    ends_at: str, stored: dict[str, object], found: tuple[bool, bool]
) -> None:
    assert end_of(Match(**stored), asked_of_game(ends_at)) == found


def test_a_key_of_the_result_is_no_question_to_the_game() -> None:
    assert asked_of_game("done") == []


class Cards:
    def step(self, action: int) -> tuple[int, int]:
        return action, 0

    def run(self) -> list[int]:
        played = []
        while len(played) < 3:
            played.append(self.step(1)[0])
        return played

    def turn(self) -> int:
        return self.step(1)[0]


class Boards:
    def step(self, actions: list[int]) -> list[Any]:
        return [Cards().step(action) for action in actions]


def as_step(cls: type, name: str, counted: bool) -> NamedFunction:
    code = vars(cls)[name].__code__
    return NamedFunction(
        __file__, f"{cls.__name__}.{name}", code.co_firstlineno, 0, ENV_STEP, "", counted, None
    )


def test_what_plays_a_whole_game_or_many_boards_does_not_hide_their_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = as_step(Cards, "step", True)
    monkeypatch.setattr(named_functions, "_by_line", {(__file__, step.first): step})
    assert named_functions.hides_steps(as_step(Cards, "run", True), Cards.run)
    assert named_functions.hides_steps(as_step(Boards, "step", False), Boards.step)
    assert not named_functions.hides_steps(step, Cards.step)
    assert not named_functions.hides_steps(as_step(Cards, "turn", True), Cards.turn), "no loop: one step"
    assert not named_functions.hides_steps(as_step(Boards, "step", True), Boards.step), "a wrapper's own"
