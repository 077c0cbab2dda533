"""Own and total times, calls by segment, and stacks that do not end as they began."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from goldsplit.model.wire import ALL, STEP, UPDATE
from goldsplit.record.inside.deep import call_watch
from goldsplit.record.inside.deep.call_watch import CALLS, OWN_NS, TOTAL_NS, Function, Watch


def outer() -> None:
    """Stands for a user function."""


def inner() -> None:
    """Another one."""


class Clock:
    def __init__(self) -> None:
        self.ns = 1000

    def __call__(self) -> int:
        return self.ns


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(call_watch, "clock", made)
    return made


def begun(mode: int = ALL) -> Watch:
    watch = Watch()
    watch.begin(None, mode, 1 << 62)
    return watch


def function(of: Any) -> Function:
    return Function(of.__code__, "function")


def test_own_time_is_without_callees(clock: Clock) -> None:
    watch, one, two = begun(), function(outer), function(inner)
    watch.enter(one, clock.ns)
    clock.ns += 100
    watch.enter(two, clock.ns)
    clock.ns += 30
    watch.leave(two, clock.ns)
    clock.ns += 5
    watch.leave(one, clock.ns)
    watch.end_segment(STEP, 1)
    assert one.figures[STEP][:3] == [1, 105, 135]
    assert two.figures[STEP][:3] == [1, 30, 30]
    assert watch.segments[ALL] == [1.0, 0.0]
    assert watch.env_steps[ALL] == 1


def test_recursion_counts_total_time_once(clock: Clock) -> None:
    watch, one = begun(), function(outer)
    for _ in range(3):
        watch.enter(one, clock.ns)
        clock.ns += 10
    for _ in range(3):
        watch.leave(one, clock.ns)
    watch.end_segment(STEP, 1)
    assert one.figures[STEP][:3] == [3, 30, 30]


def test_our_own_time_is_not_the_functions(clock: Clock) -> None:
    watch, one = begun(), function(outer)
    watch.enter(one, clock.ns)
    clock.ns += 50
    watch.spend(40)
    watch.leave(one, clock.ns)
    watch.end_segment(STEP, 1)
    assert one.figures[STEP][OWN_NS] == 10


def test_segments_are_kept_apart_by_what_ended_them(clock: Clock) -> None:
    watch, one = begun(), function(outer)
    for kind in (STEP, UPDATE, UPDATE):
        watch.enter(one, clock.ns)
        clock.ns += 10
        watch.leave(one, clock.ns)
        watch.end_segment(kind, float(kind == STEP))
    assert [figures[CALLS] for figures in one.figures] == [1, 2]
    assert watch.segments == ([1.0, 2.0], [0.0, 0.0])


def test_a_disturbed_segment_is_forgotten(clock: Clock) -> None:
    watch, one = begun(), function(outer)
    watch.enter(one, clock.ns)
    clock.ns += 10**9
    watch.leave(one, clock.ns)
    watch.end_segment(STEP, 1, weight=0.0)
    assert one.figures[STEP] == [0] * 5
    assert watch.segments[ALL] == [0.0, 0.0]


def test_an_exception_that_was_not_seen_is_unwound(clock: Clock) -> None:
    watch, one, two = begun(), function(outer), function(inner)
    watch.enter(one, clock.ns)
    watch.enter(two, clock.ns)
    clock.ns += 10
    watch.leave(one, clock.ns)
    watch.leave(two, clock.ns)
    assert watch.stack == []
    assert (one.active, two.active) == (0, 0)


def test_the_end_of_a_call_that_began_before_is_ignored(clock: Clock) -> None:
    watch = begun()
    watch.leave(function(outer), clock.ns)
    assert watch.stack == []


def test_a_cut_counts_what_was_seen_of_the_segment(clock: Clock) -> None:
    watch, one = begun(), function(outer)
    watch.enter(one, clock.ns)
    clock.ns += 10
    watch.cut()
    clock.ns += 1000
    watch.end_segment(STEP, 1, weight=0.25)
    assert one.figures[STEP][TOTAL_NS] == 10
    assert watch.over_limit
    assert watch.segments[ALL][STEP] == 0.25
    assert watch.ident == 0


def test_what_runs_already_is_known_from_its_frames() -> None:
    watch = Watch()
    watch.begin(sys._getframe(), ALL, 1 << 62)
    names = [entry[call_watch.FUNCTION].code.co_name for entry in watch.stack]
    assert names[-1] == "test_what_runs_already_is_known_from_its_frames"
    watch.stop()


class Thing:
    @property
    def area(self) -> Any:
        return sys._getframe()

    def method(self) -> Any:
        return sys._getframe()


def free() -> Any:
    return sys._getframe()


def generator() -> Any:
    yield sys._getframe()


def test_kinds_of_functions() -> None:
    frames = {
        "property": Thing().area,
        "method": Thing().method(),
        "function": free(),
        "generator": next(generator()),
    }
    for kind, frame in frames.items():
        assert call_watch.kind_of(frame.f_code, frame) == kind
