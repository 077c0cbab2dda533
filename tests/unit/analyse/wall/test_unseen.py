"""Nobody at work says something only while everybody who works is seen."""

from __future__ import annotations

from typing import Any

import pytest

from goldsplit.analyse.wall.causes import UNKNOWN, Cause, CauseFinder
from goldsplit.model.recording import ProcessId, ThreadKey

DRIVER, WORKER = ThreadKey(ProcessId(7), 0), ThreadKey(ProcessId(8), 0)


@pytest.fixture
def pool(maker: Any) -> Any:
    """A driver that waits all the time; its worker steps all the time, but its spans are kept until 100."""
    driver, worker = maker(7), maker(8, 7)
    wait, step = driver.node("wait"), worker.node("env.step")
    driver.raw(0, 1000, (wait, 0, 1000))
    driver.raw(1000, 2000, (wait, 1000, 2000))
    worker.raw(0, 100, (step, 0, 100))
    worker.raw(1000, 1100, (step, 1000, 1100))
    return driver, worker, wait


def test_what_a_worker_does_behind_its_part_of_a_window_is_not_held_for_nothing(pool: Any) -> None:
    driver, worker, wait = pool
    worker.process.end_ns = 2000
    finder = CauseFinder([driver.process, worker.process])
    shares = finder.evidence(DRIVER, 0, 2000)[wait].shares()
    assert shares == {Cause("env.step", WORKER): 1.0}


def test_a_worker_that_has_ended_is_not_missed(pool: Any) -> None:
    driver, worker, wait = pool
    worker.process.end_ns = 1500
    driver.raw(2000, 3000, (wait, 2000, 3000))
    finder = CauseFinder([driver.process, worker.process])
    (_, _, third) = finder.evidence(DRIVER, 0, 3000)[wait].by_window
    assert third == {UNKNOWN: 1000}


def test_while_a_worker_is_not_seen_nothing_is_unknown(pool: Any) -> None:
    driver, worker, wait = pool
    worker.process.end_ns = 2600
    driver.raw(2000, 3000, (wait, 2000, 3000))
    finder = CauseFinder([driver.process, worker.process])
    (_, _, third) = finder.evidence(DRIVER, 0, 3000)[wait].by_window
    assert third == {UNKNOWN: 400}


def test_a_thread_that_never_works_hides_nothing(pool: Any, maker: Any) -> None:
    driver, worker, wait = pool
    worker.process.end_ns = 1100
    worker.process.raw.pop(0)
    idle = maker(9, 7)
    idle.raw(0, 100, (idle.node("wait"), 0, 100))
    idle.process.end_ns = 2000
    finder = CauseFinder([driver.process, worker.process, idle.process])
    (first, _) = finder.evidence(DRIVER, 0, 2000)[wait].by_window
    assert first == {UNKNOWN: 1000}
