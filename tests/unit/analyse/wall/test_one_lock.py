"""Of several threads under one interpreter's lock, the one that goes on has it."""

from __future__ import annotations

from typing import Any

import pytest

from goldsplit.analyse.wall.causes import Cause, CauseFinder
from goldsplit.analyse.wall.one_lock import holders, on_core_by_stage, processes_under_one_lock
from goldsplit.model.recording import NodeTotals, ProcessId, Snapshot, ThreadKey

MS = 1_000_000
DRIVER = ThreadKey(ProcessId(7), 0)
FIRST, SECOND = ThreadKey(ProcessId(7), 1), ThreadKey(ProcessId(7), 2)


def two_players(maker: Any, cpu_ms: int, queue_ms: int = 0) -> tuple[Any, int]:
    """The first thread plays in the first half of a turn, the second in the second; the other stays where it
    lost the lock: in an observation, and between two spans."""
    one = maker(7, threads=3)
    wait = one.node("wait", detail="t:9")
    one.raw(0, 40 * MS, (wait, 0, 40 * MS))
    step, see = one.node("env.step", thread=1), one.node("env.observe", thread=1)
    played = [(step, at * MS, (at + 1) * MS) for at in range(20)]
    one.raw(0, 40 * MS, *played, (see, 20 * MS, 40 * MS), thread=1)
    acts, sees = one.node("act", thread=2), one.node("env.observe", thread=2)
    one.raw(
        0, 40 * MS, (sees, 0, 20 * MS), *[(acts, at * MS, (at + 1) * MS) for at in range(20, 40)], thread=2
    )
    # Each observation takes half a millisecond where nobody is in the way.
    for thread, node in ((1, see), (2, sees)):
        quick = [(node, (50 + at) * MS, (50 + at) * MS + MS // 2) for at in range(10)]
        one.raw(50 * MS, 60 * MS, *quick, thread=thread)
    for thread in (1, 2):
        one.spend(200 * MS, "env.step", thread=thread)
    one.snapshot(400 * MS)
    last = one.process.snapshots[-1]
    figures = dict.fromkeys((0, 1, 2), (cpu_ms * MS, queue_ms * MS))
    one.process.snapshots[-1] = Snapshot(last.t_ns, last.nodes, last.counts, figures)
    return one, wait


def test_the_thread_that_goes_on_has_the_lock(maker: Any) -> None:
    one, wait = two_players(maker, cpu_ms=100)
    finder = CauseFinder([one.process])
    (found,) = finder.evidence(DRIVER, 0, 40 * MS)[wait].by_window
    assert found == {Cause("env.step", FIRST): 20 * MS, Cause("act", SECOND): 20 * MS}


@pytest.mark.parametrize(
    ("cpu_ms", "queue_ms", "held_up"), [(100, 0, True), (200, 0, False), (130, 70, False), (60, 140, True)]
)
def test_threads_that_compute_beside_each_other_share_no_lock(
    maker: Any, cpu_ms: int, queue_ms: int, held_up: bool
) -> None:
    """A thread that queues for a core is not held up by the lock, unless all had no more than one."""
    one, wait = two_players(maker, cpu_ms, queue_ms)
    assert (ProcessId(7) in processes_under_one_lock([one.process])) is held_up
    if not held_up:
        (found,) = CauseFinder([one.process]).evidence(DRIVER, 0, 40 * MS)[wait].by_window
        assert {cause.thread for cause in found} == {SECOND}, "the thread that ended the wait"


def test_what_nobody_looked_at_is_left_out(maker: Any) -> None:
    one, _ = two_players(maker, cpu_ms=100)
    finder = CauseFinder([one.process])
    team = {key: finder.timelines[key] for key in (FIRST, SECOND)}
    assert sum(part.end_ns - part.start_ns for _, part in holders(team, {}, 0, 45 * MS)) == 40 * MS
    assert list(holders(team, {}, 70 * MS, 90 * MS)) == []


def two_that_act_without_a_core(maker: Any, clocked: int) -> Any:
    """One thread observes, the other stands still in acting, each time as long as always: 10 ms."""
    one = maker(7, threads=3)
    wait = one.node("wait", detail="t:9")
    one.raw(0, 40 * MS, (wait, 0, 40 * MS))
    see, act = one.node("env.observe", thread=1), one.node("act", thread=2)
    one.raw(0, 40 * MS, *[(see, at * MS, (at + 10) * MS) for at in range(0, 40, 10)], thread=1)
    one.raw(0, 40 * MS, *[(act, at * MS, (at + 10) * MS) for at in range(0, 40, 10)], thread=2)
    one.totals[1, see] = NodeTotals(20, 200 * MS, clocked, clocked * 9 * MS, clocked * 10 * MS)
    one.totals[2, act] = NodeTotals(20, 200 * MS, clocked, clocked * MS // 10, clocked * 10 * MS)
    one.snapshot(400 * MS)
    last = one.process.snapshots[-1]
    figures = {0: (MS, 0), 1: (180 * MS, 0), 2: (2 * MS, 0)}
    one.process.snapshots[-1] = Snapshot(last.t_ns, last.nodes, last.counts, figures)
    return one, wait


def test_who_always_stands_still_has_not_the_lock(maker: Any) -> None:
    one, wait = two_that_act_without_a_core(maker, clocked=10)
    (found,) = CauseFinder([one.process]).evidence(DRIVER, 0, 40 * MS)[wait].by_window
    assert found == {Cause("env.observe", FIRST): 40 * MS}


def test_too_few_clocks_say_nothing(maker: Any) -> None:
    one, _ = two_that_act_without_a_core(maker, clocked=3)
    finder = CauseFinder([one.process])
    assert on_core_by_stage([finder.timelines[FIRST], finder.timelines[SECOND]]) == {}


def test_one_thread_shares_its_lock_with_nobody(maker: Any) -> None:
    one = maker(7)
    one.spend(900 * MS, "env.step")
    one.snapshot(1000 * MS)
    assert processes_under_one_lock([one.process]) == frozenset()
