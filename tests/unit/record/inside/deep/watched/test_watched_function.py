"""Which calls of a watched function are looked at, and what they tell."""

from __future__ import annotations

from typing import Any

import pytest

from goldsplit.record.inside.core import watched_call
from goldsplit.record.inside.deep.watched import watched_function
from goldsplit.record.inside.deep.watched.watched_function import (
    CREDIT_NS,
    SHORTEST_BURST,
    WatchedFunction,
    arguments_of,
)
from goldsplit.record.inside.engine import ThreadState


class Clock:
    ns = 10**12

    def __call__(self) -> int:
        return self.ns


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(watched_function, "thread_clock", made)
    monkeypatch.setattr(watched_function, "worked_ns", made)
    return made


def sight(a: int, b: int) -> bool:
    return True


def made(clock: Clock, share: float = 0.001) -> WatchedFunction:
    function = WatchedFunction(sight.__code__, "function", 0)
    function.share, function.began_worked_ns = share, clock.ns
    function.core.countdown = 1
    return function


def test_consecutive_calls_are_compared(clock: Clock, state: ThreadState) -> None:
    function = made(clock)
    call = watched_call(sight, None, function.core)
    for number in range(300):
        call(number % 20, 1)
    assert (function.comparison.compared, function.comparison.distinct) == (300, 20)
    assert function.comparison.result_text == "True"
    (caller,) = function.callers
    assert caller.co_name == "test_consecutive_calls_are_compared"


def test_over_its_share_a_function_pauses_after_its_burst(clock: Clock, state: ThreadState) -> None:
    function = made(clock)
    call = watched_call(sight, None, function.core)
    function.spent_ns = int(function.share * CREDIT_NS) + 5_000
    clock.ns += 1_000_000
    function.core.calls = 1000
    call(1, 2)
    assert function.comparison.compared == 0
    assert function.core.countdown == pytest.approx(5_000 / 0.001 * 1000 / 1_000_000, rel=0.3)


def test_a_pause_ends_when_time_has_gone_by(clock: Clock) -> None:
    function = made(clock)
    function.spent_ns = int(function.share * CREDIT_NS) + 5_000
    assert function.pause_calls(clock.ns + 1_000) > 1
    assert function.pause_calls(clock.ns + 10_000_000) == 1


def test_a_burst_has_the_calls_of_about_one_step(clock: Clock, state: ThreadState) -> None:
    function = made(clock)
    function.per_step = 100.0
    function.begin((1, 2), None)
    assert function.burst_left == 149
    few = made(clock)
    few.begin((1, 2), None)
    assert few.burst_left == SHORTEST_BURST - 1


def test_another_threads_calls_are_no_part_of_a_burst(clock: Clock, state: ThreadState) -> None:
    function = made(clock)
    function.core.calls = 1000
    function.begin((1, 2), None)
    function.burst_ident += 1
    assert function.begin((1, 2), None) is None


def test_of_a_function_that_is_called_rarely_all_threads_count(clock: Clock, state: ThreadState) -> None:
    function = made(clock)
    clock.ns += 10**9
    function.core.calls = 10
    function.begin((1, 2), None)
    assert function.burst_ident == 0
    assert function.begin((1, 2), None) is not None


def test_named_arguments_have_their_places() -> None:
    parameters = ("a", "b", "c")
    assert arguments_of(parameters, (1,), {"c": 3, "b": 2}) == [1, 2, 3]
    assert arguments_of(parameters, (1,), {"c": 3}) == [1, None, 3]
    assert arguments_of(parameters, (1, 2), None) == [1, 2]
    rest: Any = {"b": 2, "other": 9}
    assert arguments_of(parameters, (1,), rest) == [1, 2, 9]
