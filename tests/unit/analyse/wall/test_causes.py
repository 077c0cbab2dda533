"""Waiting is charged to what was waited for: pipes, notifying threads, processes, chains of them."""

from __future__ import annotations

from typing import Any

import pytest

from goldsplit.analyse.wall import causes
from goldsplit.analyse.wall.causes import Cause, CauseFinder
from goldsplit.model.recording import ProcessId, ThreadKey


def thread(pid: int, index: int = 0) -> ThreadKey:
    return ThreadKey(ProcessId(pid), index)


DRIVER = thread(7)


def evidence(finder: CauseFinder, node: int, end: int = 1000) -> dict[Cause, float]:
    return finder.evidence(DRIVER, 0, end)[node].shares()


@pytest.fixture
def lock_step(maker: Any) -> Any:
    """A driver that waits for two workers over pipes; worker 8 steps to 400, worker 9 to 900."""
    driver, fast, slow = maker(7), maker(8, 7), maker(9, 7)
    first = driver.node("vec.recv", "vec.wait", detail="pipe:10")
    second = driver.node("vec.recv", "vec.wait", detail="pipe:20")
    driver.process.pipes += [(10, 11), (20, 21)]
    driver.raw(0, 1000, (first, 0, 400), (second, 400, 900), (driver.node("act"), 900, 1000))
    for worker, near, until in ((fast, 11, 400), (slow, 21, 900)):
        step = worker.node("env.step")
        waits = worker.node("vec.recv", "vec.wait", detail=f"pipe:{near}")
        worker.raw(0, 1000, (step, 0, until), (waits, until, 1000))
    return driver, fast, slow, (first, second)


def test_a_wait_on_a_pipe_is_the_workers_step(lock_step: Any) -> None:
    driver, fast, slow, (first, second) = lock_step
    finder = CauseFinder([driver.process, fast.process, slow.process])
    assert finder.waker(DRIVER, "pipe:10") == thread(8)
    assert finder.waker(DRIVER, "pipe:20") == thread(9)
    assert evidence(finder, first) == {Cause("env.step", thread(8)): 1.0}
    assert evidence(finder, second) == {Cause("env.step", thread(9)): 1.0}


def test_only_what_was_seen_in_the_asked_stretch_counts(lock_step: Any) -> None:
    driver, fast, slow, (first, second) = lock_step
    finder = CauseFinder([driver.process, fast.process, slow.process])
    (window,) = finder.evidence(DRIVER, 200, 500)[first].by_window
    assert window == {Cause("env.step", thread(8)): 200}
    (window,) = finder.evidence(DRIVER, 200, 500)[second].by_window
    assert window == {Cause("env.step", thread(9)): 100}
    assert finder.evidence(DRIVER, 1000, 2000) == {}


def test_a_gap_before_the_asked_stretch_is_no_loss_of_the_lock(maker: Any) -> None:
    """Start-up, which lies in the first raw window too, would drown the gaps of the loop."""
    driver = maker(7)
    driver.raw(0, 1000, (driver.node("act"), 700, 900))
    (losses,) = CauseFinder([driver.process]).gaps(DRIVER, 600, 1000).by_window
    assert losses == {Cause("", None): 200}


def test_the_share_splits_when_the_worker_did_two_things(maker: Any) -> None:
    driver, worker = maker(7), maker(8, 7)
    wait = driver.node("vec.wait", detail="pipe:10")
    driver.process.pipes.append((10, 11))
    driver.raw(0, 1000, (wait, 0, 1000))
    reset, step = worker.node("env.reset"), worker.node("env.step")
    worker.node("vec.send", detail="pipe:11")
    worker.raw(0, 1000, (reset, 0, 300), (step, 300, 900))
    found = evidence(CauseFinder([driver.process, worker.process]), wait)
    assert found == pytest.approx(
        {Cause("env.reset", thread(8)): 0.3, Cause("env.step", thread(8)): 0.6, Cause("", thread(8)): 0.1}
    )


def test_the_thread_that_notified_is_the_cause(maker: Any) -> None:
    one = maker(7, threads=2)
    wait = one.node("wait", detail="t:8")
    one.raw(0, 1000, (wait, 0, 1000))
    one.raw(0, 1000, (one.node("replay.sample", thread=1), 0, 1000), thread=1)
    finder = CauseFinder([one.process])
    assert finder.waker(DRIVER, "t:8") == thread(7, 1)
    assert evidence(finder, wait) == {Cause("replay.sample", thread(7, 1)): 1.0}


def test_a_chain_of_waits_is_followed_to_its_end(maker: Any) -> None:
    """The driver waits for a thread that waits for a process that steps."""
    one, worker = maker(7, threads=2), maker(9, 7)
    outer = one.node("wait", detail="t:8")
    inner = one.node("vec.wait", thread=1, detail="pipe:10")
    one.process.pipes.append((10, 11))
    one.raw(0, 1000, (outer, 0, 1000))
    one.raw(0, 1000, (inner, 0, 1000), thread=1)
    worker.node("vec.send", detail="pipe:11")
    worker.raw(0, 1000, (worker.node("env.step"), 0, 1000))
    found = evidence(CauseFinder([one.process, worker.process]), outer)
    assert found == {Cause("env.step", thread(9)): 1.0}


def test_two_threads_that_wait_for_each_other_end(maker: Any) -> None:
    one = maker(7, threads=2)
    mine = one.node("wait", detail="t:8")
    theirs = one.node("wait", thread=1, detail="t:7")
    one.raw(0, 1000, (mine, 0, 1000))
    one.raw(0, 1000, (theirs, 0, 1000), thread=1)
    found = evidence(CauseFinder([one.process]), mine)
    assert sum(found.values()) == pytest.approx(1.0)
    assert {cause.stage for cause in found} == {""}


def test_a_coroutine_of_another_thread_is_the_cause(maker: Any) -> None:
    """The loop's thread is idle in its selector; the battle that it plays is what is waited for."""
    one = maker(7, threads=2)
    wait = one.node("wait", detail="t:8")
    select = one.node("wait", thread=1)
    battle = one.node("env.step", thread=1, task=True)
    one.raw(0, 1000, (wait, 0, 1000))
    one.raw(0, 1000, (select, 0, 1000), (battle, 0, 800), thread=1)
    found = evidence(CauseFinder([one.process]), wait)
    assert found[Cause("env.step", thread(7, 1))] >= 0.79


def test_where_no_thread_is_named_the_last_to_finish_is_the_cause(maker: Any) -> None:
    driver, quick, late = maker(7), maker(8, 7), maker(9, 7)
    wait = driver.node("vec.wait")
    driver.raw(0, 1000, (wait, 0, 1000))
    quick.raw(0, 1000, (quick.node("env.reset"), 0, 300))
    late.raw(0, 1000, (late.node("env.step"), 0, 990))
    found = evidence(CauseFinder([driver.process, quick.process, late.process]), wait)
    assert found[Cause("env.step", thread(9))] == pytest.approx(0.99)


def test_nothing_seen_explains_nothing(maker: Any) -> None:
    driver = maker(7)
    wait = driver.node("wait", detail="pid:4711")
    driver.raw(0, 1000, (wait, 0, 1000))
    finder = CauseFinder([driver.process])
    assert evidence(finder, wait) == {Cause("", None): 1.0}
    assert finder.waker(DRIVER, "sem:/x") is None
    assert finder.waker(DRIVER, "") is None
    assert finder.evidence((99, 0), 0, 1000) == {}


@pytest.mark.parametrize("detail", ["pipe:", "pipe:x", "t:", "t:x", "pid:None", "pid:", ":", "sem:"])
def test_odd_details_name_no_thread(maker: Any, detail: str) -> None:
    """Details come from a file that may be damaged, and from processes that were never started."""
    driver = maker(7)
    driver.node("wait", detail=detail)
    assert CauseFinder([driver.process]).waker(DRIVER, detail) is None


def test_a_process_that_is_joined_is_the_cause(maker: Any) -> None:
    driver, child = maker(7), maker(8, 7)
    wait = driver.node("wait", detail="pid:8")
    driver.raw(0, 100, (wait, 0, 100))
    child.raw(0, 100, (child.node("env.step"), 0, 100))
    found = evidence(CauseFinder([driver.process, child.process]), wait)
    assert found == {Cause("env.step", thread(8)): 1.0}


def test_the_recorders_own_threads_are_left_out(maker: Any) -> None:
    one = maker(7, threads=2)
    info = one.process.threads[1]
    one.process.threads[1] = type(info)(1, info.native_id, "goldsplit-recorder", 0)
    assert thread(7, 1) not in CauseFinder([one.process]).timelines


def test_a_shared_queue_charges_the_thread_that_sent(maker: Any) -> None:
    """Two actors write into one pipe; each ends one of the driver's two waits."""
    driver, one, two = maker(7), maker(8, 7), maker(9, 7)
    wait = driver.node("vec.recv", "vec.wait", detail="pipe:10")
    driver.raw(0, 1000, (wait, 0, 480), (driver.node("learn.loss"), 480, 500), (wait, 500, 1000))
    for worker, sent_at in ((one, 990), (two, 470)):
        step, send = worker.node("env.step"), worker.node("vec.send", detail="pipe:10")
        worker.raw(0, 1000, (step, 0, sent_at), (send, sent_at, sent_at + 10), (step, sent_at + 10, 1000))
    found = evidence(CauseFinder([driver.process, one.process, two.process]), wait)
    by_thread: dict[Any, float] = {}
    for cause, share in found.items():
        by_thread[cause.thread] = by_thread.get(cause.thread, 0.0) + share
    assert by_thread[thread(9)] == pytest.approx(480 / 980, abs=0.03)
    assert by_thread[thread(8)] == pytest.approx(500 / 980, abs=0.03)


def test_of_a_run_of_hours_windows_all_over_it_are_explained(
    maker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(causes, "MOST_WAITS", 10)
    monkeypatch.setattr(causes, "LEAST_WINDOWS", 4)
    driver, worker = maker(7), maker(8, 7)
    wait = driver.node("vec.recv", "vec.wait", detail="pipe:10")
    driver.process.pipes.append((10, 11))
    step = worker.node("env.step")
    answer = worker.node("vec.send", detail="pipe:11")
    for start in range(0, 20_000, 1000):
        driver.raw(start, start + 1000, (wait, start, start + 400), (wait, start + 500, start + 900))
        worker.raw(start, start + 1000, (step, start, start + 900), (answer, start + 900, start + 1000))
    finder = CauseFinder([driver.process, worker.process])
    seen = [start for start, _ in finder.seen(DRIVER, 0, 20_000)]
    assert seen == list(range(0, 20_000, 4000))
    assert evidence(finder, wait, 20_000) == {Cause("env.step", thread(8)): 1.0}
    assert finder.seen(DRIVER, 1000, 3000) == []
