"""Idle at the barrier: done with a round while another worker is not."""

from __future__ import annotations

from typing import Any

import pytest

from goldsplit.analyse.wall.barrier import Barriers, Stay, idle_share
from goldsplit.analyse.wall.causes import CauseFinder
from goldsplit.model.recording import ProcessId, ThreadKey

DRIVER, QUICK, SLOW, OTHER, STRANGER = (ThreadKey(ProcessId(pid), 0) for pid in (7, 8, 9, 6, 99))
US = 1_000
TURN, TURNS = 1000 * US, 6


class Round:
    """Turns of 1 ms: the driver acts for 100 us, sends, waits from 120 for both workers, and is awake at 900.

    The quick worker is done at 300, stands until 400 without a core, and says so; the slow one ends at 800.
    """

    def __init__(self, maker: Any) -> None:
        self.driver, self.quick, self.slow = maker(7), maker(8, 7), maker(9, 7)
        self.driver.process.pipes += [(10, 11), (20, 21)]
        self.makers = [self.driver, self.quick, self.slow]
        act, send = self.driver.node("act"), self.driver.node("vec.send", detail="pipe:10")
        first, second = (self.driver.node("vec.recv", "vec.wait", detail=f"pipe:{n}") for n in (10, 20))
        self.spans = [(act, 0, 100), (send, 100, 120), (first, 120, 420), (second, 450, 900)]
        self.driver.raw(0, TURNS * TURN, *self.repeat(self.spans))
        for worker, near, busy_from, until in ((self.quick, 11, 110, 300), (self.slow, 21, 130, 800)):
            step = worker.node("env.step")
            wait = worker.node("vec.recv", "vec.wait", detail=f"pipe:{near}")
            send = worker.node("vec.send", detail=f"pipe:{near}")
            done = until + 100
            spans = [
                (wait, 0, busy_from),
                (step, busy_from, until),
                (send, done - 10, done),
                (wait, done, 1000),
            ]
            worker.raw(0, TURNS * TURN, *self.repeat(spans))

    def repeat(self, spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        return [(node, t + a * US, t + b * US) for t in range(0, TURNS * TURN, TURN) for node, a, b in spans]

    def barriers(self) -> Barriers:
        return Barriers(CauseFinder([one.process for one in self.makers]), DRIVER, (0, TURNS * TURN))


@pytest.fixture
def rounds(maker: Any) -> Round:
    return Round(maker)


def test_from_the_end_of_its_own_work_to_the_end_of_the_last_ones(rounds: Round) -> None:
    barriers = rounds.barriers()
    stays = barriers.stays(QUICK)
    assert len(stays) == TURNS - 2, "the first and the last are cut off by the raw window"
    assert {(stay.driver_waited_ns, stay.idle_ns) for stay in stays} == {(750 * US, 500 * US)}
    assert idle_share(stays) == pytest.approx(500 / 750)


def test_the_last_worker_is_not_idle_while_the_driver_wakes_up(rounds: Round) -> None:
    assert idle_share(rounds.barriers().stays(SLOW)) == 0.0


def test_work_that_ends_before_the_driver_waits_counts_from_there(rounds: Round, maker: Any) -> None:
    early = maker(6, 7)
    step = early.node("env.step")
    early.raw(0, TURNS * TURN, *rounds.repeat([(step, 10, 20)]))
    rounds.makers.append(early)
    assert {stay.idle_ns for stay in rounds.barriers().stays(OTHER)} == {(800 - 120) * US}


def test_in_a_round_without_work_a_thread_is_not_idle(rounds: Round, maker: Any) -> None:
    rare = maker(6, 7)
    rare.raw(
        0,
        TURNS * TURN,
        (rare.node("env.step"), TURN, TURN + 300 * US),
        (rare.node("wait"), 2 * TURN, 5 * TURN),
    )
    rounds.makers.append(rare)
    idle = [stay.idle_ns for stay in rounds.barriers().stays(OTHER)]
    assert idle == [500 * US, 0, 0, 0]


def test_a_thread_beside_the_rounds_does_not_lengthen_them(rounds: Round, maker: Any) -> None:
    """A prefetcher that the driver does not wait for works on; the workers are waited for until 800."""
    prefetcher = maker(6, 7)
    prefetcher.raw(0, TURNS * TURN, *rounds.repeat([(prefetcher.node("replay.sample"), 200, 890)]))
    rounds.makers.append(prefetcher)
    barriers = rounds.barriers()
    assert {stay.idle_ns for stay in barriers.stays(QUICK)} == {500 * US}
    assert idle_share(barriers.stays(OTHER)) == 0.0


def test_rounds_that_a_workers_raw_window_does_not_hold_are_left_out(rounds: Round) -> None:
    window = rounds.slow.process.raw.pop()
    rounds.slow.raw(0, 3 * TURN, *((span.node, span.start_ns, span.end_ns) for span in window.spans))
    assert len(rounds.barriers().stays(QUICK)) == 2


def test_nothing_is_known_of_the_driver_of_strangers_and_of_threads_that_never_work(
    rounds: Round, maker: Any
) -> None:
    idler = maker(6, 7)
    idler.raw(0, TURNS * TURN, (idler.node("wait"), 0, TURNS * TURN))
    rounds.makers.append(idler)
    barriers = rounds.barriers()
    assert [barriers.stays(key) for key in (DRIVER, STRANGER, OTHER)] == [[], [], []]
    assert idle_share([]) is None
    assert idle_share([Stay(5, 0, 0)]) is None


def test_a_round_longer_than_a_raw_window_counts_by_common_waiting(maker: Any) -> None:
    driver, quick = maker(7), maker(8, 7)
    wait = driver.node("vec.recv", "vec.wait", detail="pipe:20")
    driver.raw(0, 1000, (wait, 0, 800), (driver.node("act"), 800, 1000))
    quick.raw(0, 1000, (quick.node("env.step"), 0, 200), (quick.node("vec.wait"), 200, 1000))
    barriers = Barriers(CauseFinder([driver.process, quick.process]), DRIVER, (0, 1000))
    assert barriers.stays(QUICK) == [Stay(1000, 800, 600)]
    assert Barriers(CauseFinder([quick.process]), DRIVER, (0, 1000)).stays(QUICK) == []
