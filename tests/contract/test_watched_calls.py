"""Watched calls in C and in Python do the same: every test here runs against both."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

from goldsplit.record.inside import core as native
from goldsplit.record.inside.core import IN_PYTHON, IS_COMPILED

CORES = [IN_PYTHON, *([native] if IS_COMPILED else [])]


@pytest.fixture(params=CORES, ids=["python", "c"][: len(CORES)])
def core(request: pytest.FixtureRequest) -> Any:
    return request.param


class Seen:
    """Begins and ends that the core has shown."""

    def __init__(self, core: Any) -> None:
        self.begun: list[Any] = []
        self.ended: list[Any] = []
        self.core = core.WatchedCore(self.begin, self.end)

    def begin(self, given: Any, named: Any) -> Any:
        self.begun.append((given, named))
        return len(self.begun)

    def end(self, token: Any, result: Any, elapsed_ns: int) -> None:
        self.ended.append((token, result, elapsed_ns >= 0))


def add(a: int, b: int = 1) -> int:
    return a + b


def test_calls_are_counted_and_timed(core: Any) -> None:
    seen = Seen(core)
    call = core.watched_call(add, None, seen.core)
    assert [call(1), call(1, b=3), call(2, 2)] == [2, 4, 4]
    assert (seen.core.calls, seen.core.timed_calls) == (3, 3)
    assert seen.core.total_ns == seen.core.own_ns > 0
    assert seen.begun == []


def test_the_countdown_says_which_call_is_looked_at(core: Any) -> None:
    seen = Seen(core)
    call = core.watched_call(add, None, seen.core)
    seen.core.countdown = 2
    for number in range(4):
        call(number, b=7)
    assert seen.begun == [((1,), {"b": 7})]
    assert seen.ended == [(1, 8, True)]
    seen.core.countdown = 1
    call(5)
    assert seen.begun[1] == ((5,), None)


def test_without_timing_calls_are_still_counted(core: Any) -> None:
    seen = Seen(core)
    call = core.watched_call(add, None, seen.core)
    seen.core.timed = False
    call(1)
    assert (seen.core.calls, seen.core.timed_calls, seen.core.total_ns) == (1, 0, 0)


def test_own_time_is_without_watched_callees_and_recursion_counts_once(core: Any) -> None:
    outer, inner = Seen(core), Seen(core)
    called = core.watched_call(lambda: sum(range(2000)), None, inner.core)

    def down(depth: int) -> None:
        called()
        if depth:
            again(depth - 1)

    again = core.watched_call(down, None, outer.core)
    again(3)
    assert (outer.core.calls, inner.core.calls) == (4, 4)
    assert outer.core.own_ns + inner.core.total_ns == outer.core.total_ns


def test_an_exception_passes_and_ends_the_call(core: Any) -> None:
    seen = Seen(core)

    def fail(number: int) -> None:
        raise ValueError(number)

    call = core.watched_call(fail, None, seen.core)
    seen.core.countdown = 1
    for number in (1, 2):
        with pytest.raises(ValueError, match=str(number)):
            call(number)
    assert (seen.core.calls, seen.core.timed_calls) == (2, 2)
    assert (len(seen.begun), seen.ended) == (1, [])


def test_a_failure_of_ours_does_not_reach_the_program(core: Any) -> None:
    def broken(*given: Any) -> Any:
        raise RuntimeError("ours")

    for made in (core.WatchedCore(broken, broken), core.WatchedCore(lambda *given: 1, broken)):
        made.countdown = 1
        assert core.watched_call(add, None, made)(1) == 2


def test_deep_calls_and_many_threads_are_counted(core: Any) -> None:
    seen = Seen(core)

    def down(depth: int) -> int:
        return again(depth - 1) if depth else 0

    again = core.watched_call(down, None, seen.core)
    threads = [threading.Thread(target=again, args=(150,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen.core.calls == 4 * 151


def test_methods_are_bound(core: Any) -> None:
    class Game:
        def move(self, by: int) -> tuple[Any, int]:
            return self, by

    seen = Seen(core)
    Game.move = core.watched_call(Game.move, None, seen.core)  # type: ignore[method-assign]
    game = Game()
    assert game.move(3) == (game, 3)
    assert seen.core.calls == 1


def test_code_that_the_interpreter_reports(core: Any) -> None:
    seen = Seen(core)
    code = add.__code__
    assert core.report_code(code, seen.core)
    seen.core.countdown = 1
    core.report_start(code, 0)
    core.report_return(code, 0, 9)
    core.report_start(code, 0)
    core.report_unwind(code, 0, ValueError())
    core.report_return(code, 0, 9)  # nothing is open
    assert (seen.core.calls, seen.core.timed_calls) == (2, 2)
    assert [type(given) for given, _ in seen.begun] == [type(sys._getframe())]
    assert seen.ended == [(1, 9, True)]
    assert core.report_code(code, None)
    core.report_start(code, 0)
    assert seen.core.calls == 2


def test_calls_that_ended_unseen_are_closed_by_the_one_around_them(core: Any) -> None:
    outer, inner = Seen(core), Seen(core)
    core.report_code(add.__code__, outer.core)
    core.report_code(Seen.begin.__code__, inner.core)
    core.report_start(add.__code__, 0)
    core.report_start(Seen.begin.__code__, 0)
    core.report_return(add.__code__, 0, 1)
    core.report_return(Seen.begin.__code__, 0, 1)
    assert (outer.core.timed_calls, inner.core.timed_calls) == (1, 0)
    for code in (add.__code__, Seen.begin.__code__):
        core.report_code(code, None)


def test_what_is_no_core_is_refused() -> None:
    if not IS_COMPILED:
        pytest.skip("only the compiled one could crash")
    with pytest.raises(TypeError):
        native.watched_call(add, None, 7)
    with pytest.raises(TypeError):
        native.report_code(add.__code__, 7)
