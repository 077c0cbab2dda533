"""Speed-ups from hand-made structures: alone, lock-step, overlapped, unknown."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from goldsplit.analyse.predict.ceilings import (
    Queue,
    best_queue,
    predicted_seconds,
    queue_us,
    speedup_if,
    turn_wait_us,
    with_ceilings,
)
from goldsplit.analyse.predict.whatif import what_if
from goldsplit.model.profile import (
    Hotspot,
    Phases,
    Profile,
    RunInfo,
    StageRow,
    SystemFigures,
    Trust,
    Unattributed,
)
from goldsplit.model.progress import Drift, Throughput
from goldsplit.model.structure import Item, Structure, Turn, WorkerTurn
from goldsplit.model.whatif import Scenario


def structure(**changes: Any) -> Structure:
    made = Structure(
        kind="alone",
        wall_seconds=10.0,
        own={"env.step": 6.0, "act": 3.0, "": 1.0},
        waited={},
        calls={},
        cores=2,
        envs=1,
        turns_seen=0,
    )
    return dataclasses.replace(made, **changes)


def profile(shares: dict[str, float], known: Structure | None, spots: tuple[Hotspot, ...] = ()) -> Profile:
    rows = [
        StageRow(stage, "other", "span", share, share, share, share, *[None] * 9, 0.0)  # type: ignore[arg-type]
        for stage, share in shares.items()
    ]
    return Profile(
        run=RunInfo("r", "", [], 0, "complete", 0.0, 10.0, "", "", {}, None, None, {}),
        phases=Phases(0.0, 10.0, 0.0),
        throughput=Throughput.not_measured(),
        stages=rows,
        unattributed=Unattributed(0.0, 0.0),
        lanes=[],
        hotspots=list(spots),
        drift=Drift(None, []),
        system=SystemFigures(None, 2, None, []),
        trust=Trust(1.0, None, None, None, 0, 0, 0, None, None),
        structure=known,
    )


def turn(fast_us: float, slow_us: float, ahead_us: float = 0.0) -> Turn:
    """Two workers; the driver waits until both are done, and 10 us for the message."""
    last = max(fast_us, slow_us)
    return Turn(
        last + 10.0 - ahead_us,
        {"learn.loss": ahead_us} if ahead_us else {},
        [
            WorkerTurn(0, fast_us - ahead_us, {"env.step": fast_us}),
            WorkerTurn(1, slow_us - ahead_us, {"env.step": fast_us, "game.path": slow_us - fast_us}),
        ],
    )


def test_one_thread_is_plain_amdahl() -> None:
    whole = profile({"env.step": 0.6, "act": 0.3}, structure())
    assert speedup_if(whole, {"env.step": 0.0}) == pytest.approx(2.5)
    assert speedup_if(whole, {"env.step": 0.5, "act": 0.5}) == pytest.approx(1 / 0.55)
    assert speedup_if(whole, {"env.step": 2.0}) == pytest.approx(1 / 1.6)
    assert speedup_if(whole, {}) == pytest.approx(1.0)
    assert speedup_if(whole, {"log": 0.0}) == pytest.approx(1.0)


def test_without_a_structure_shares_are_all_there_is() -> None:
    sampled = profile({"env.step": 0.75, "act": 0.25}, None)
    assert speedup_if(sampled, {"env.step": 0.0}) == pytest.approx(4.0)
    assert speedup_if(sampled, {"env.step": 0.0, "act": 0.0}) is None


def test_a_faster_slow_worker_only_reaches_the_next_slowest() -> None:
    locked = structure(
        kind="lock-step",
        own={"act": 2.0},
        waited={"env.step": 5.0, "game.path": 3.0},
        turns=[turn(400.0, 800.0)],
    )
    # game.path is only in the slow worker: without it the barrier is at 400 + 10 of 810 us
    assert predicted_seconds(locked, {"game.path": 0.0}) == pytest.approx(2.0 + 8.0 * 410 / 810)
    assert predicted_seconds(locked, {"env.step": 0.0}) == pytest.approx(2.0 + 8.0 * 410 / 810)
    both = predicted_seconds(locked, {"env.step": 0.0, "game.path": 0.0})
    assert both == pytest.approx(2.0 + 8.0 * 10 / 810), "the message remains"
    assert predicted_seconds(locked, {}) == pytest.approx(10.0)


def test_what_the_driver_does_meanwhile_is_no_gain() -> None:
    """The driver learns while the workers step: without learning it only waits longer."""
    one = turn(400.0, 800.0, ahead_us=300.0)
    assert turn_wait_us(one, {}) == pytest.approx(510.0)
    assert turn_wait_us(one, {"learn.loss": 0.0}) == pytest.approx(810.0)
    locked = structure(
        kind="lock-step", own={"learn.loss": 3.0}, waited={"env.step": 5.1}, wall_seconds=8.1, turns=[one]
    )
    assert predicted_seconds(locked, {"learn.loss": 0.0}) == pytest.approx(8.1)


def test_what_is_sent_before_other_work_does_not_grow_with_the_wait() -> None:
    """It asks the workers, learns, and waits then: without learning it waits longer, and sends as long."""
    one = dataclasses.replace(turn(400.0, 800.0, ahead_us=300.0), asks_at_once=False)
    own = {"learn.loss": 3.0, "vec.send": 2.0}
    apart = structure(kind="lock-step", own=own, waited={"env.step": 5.1}, wall_seconds=10.1, turns=[one])
    assert predicted_seconds(apart, {"learn.loss": 0.0}) == pytest.approx(10.1)
    assert predicted_seconds(apart, {"vec.send": 0.0}) == pytest.approx(8.1)
    later = dataclasses.replace(apart, own={**own, "learn.loss": 4.0}, wall_seconds=11.1)
    assert predicted_seconds(later, {"learn.loss": 0.0}) == pytest.approx(10.1), "sending is not waiting"


def items(driver_us: float, helper_us: float) -> list[Item]:
    wait = max(0.0, helper_us - driver_us)
    return [Item(wait, {"learn.loss": driver_us}, {"replay.sample": helper_us})] * 50


@pytest.mark.parametrize(("driver_us", "helper_us"), [(300.0, 100.0), (100.0, 300.0)])
def test_the_overlapped_stage_buys_nothing(driver_us: float, helper_us: float) -> None:
    beside = structure(kind="overlap", own={"learn.loss": 5.0}, items=items(driver_us, helper_us), helpers=1)
    hidden, shown = "replay.sample", "learn.loss"
    if helper_us > driver_us:
        hidden, shown = shown, hidden
    assert predicted_seconds(beside, {hidden: 0.0}) == pytest.approx(10.0, rel=0.03)
    assert predicted_seconds(beside, {shown: 0.0}) == pytest.approx(10.0 / 3, rel=0.05)


def test_two_helpers_prepare_twice_as_much() -> None:
    slow = items(100.0, 300.0)
    one, two = (queue_us(slow, Queue(helpers, 1), {}) for helpers in (1, 2))
    assert one == pytest.approx(50 * 300, rel=0.02)
    assert two == pytest.approx(50 * 150, rel=0.05)


def test_waiting_that_the_work_does_not_explain_is_kept() -> None:
    """Each item took the helper 300 us of work, and yet the driver got one only every 400 us."""
    late = [Item(300.0, {"learn.loss": 100.0}, {"replay.sample": 300.0})] * 100
    queue = best_queue(late, 1)
    assert (queue.depth, queue.handover_us) == (1, pytest.approx(100.0, rel=0.05))
    assert queue_us(late, queue, {}) == pytest.approx(100 * 400, rel=0.01)
    assert queue_us(late, queue, {"replay.sample": 0.0}) == pytest.approx(100 * 100, rel=0.05)


def test_faster_never_predicts_a_slower_run() -> None:
    uneven = [turn(100.0 + 37 * (i % 7), 200.0 + 53 * (i % 5), ahead_us=20.0 * (i % 3)) for i in range(40)]
    locked = structure(
        kind="lock-step", own={"learn.loss": 1.0, "act": 1.0}, waited={"env.step": 8.0}, turns=uneven
    )
    for stage in ("env.step", "game.path", "learn.loss", "act", "vec.wait"):
        costs = [predicted_seconds(locked, {stage: part / 10}) for part in range(11)]
        assert costs == sorted(costs)
        assert costs[-1] == pytest.approx(10.0)


def test_where_it_was_not_seen_whom_the_driver_waits_for_shares_decide() -> None:
    unknown = structure(kind="unknown", own={"act": 4.0}, waited={"env.step": 6.0})
    assert predicted_seconds(unknown, {"env.step": 0.5}) == pytest.approx(7.0)


def test_rows_and_hot_spots_get_their_ceilings() -> None:
    spots = (
        Hotspot("think", "g.py", 1, "env.step", 0.3, 0.3, 9_000_000, None, "yours"),
        Hotspot("odd", "g.py", 2, None, 0.1, 0.1, 3, None, "yours"),
    )
    told = with_ceilings(profile({"env.step": 0.6, "act": 0.3}, structure(), spots))
    assert [row.ceiling_speedup for row in told.stages] == pytest.approx([2.5, 1 / 0.7])
    assert [spot.ceiling_speedup for spot in told.hotspots] == pytest.approx([1 / 0.7, 1 / 0.9], rel=0.01)


def test_what_is_printed_as_at_most_is_the_upper_end_of_what_is_known() -> None:
    few = Hotspot("think", "g.py", 1, "env.step", 0.3, 0.3, 9, None, "yours")
    made = profile({"env.step": 0.6, "act": 0.3}, None, (few,))
    wide = [dataclasses.replace(made.stages[0], wall_share_low=0.4, wall_share_high=0.7)]
    wide.append(dataclasses.replace(made.stages[1], category="agent"))
    told = with_ceilings(dataclasses.replace(made, stages=wide))
    assert told.stages[0].ceiling_speedup == pytest.approx(1 / 0.3)
    assert told.categories[0].ceiling_speedup == told.stages[0].ceiling_speedup
    assert 1 / 0.6 < (told.hotspots[0].ceiling_speedup or 0.0) < 1 / 0.4, "9 of 18 samples"


def test_no_stage_saves_more_than_its_share_whatever_the_structure_says() -> None:
    """The time of a stay at the barrier has the sending in it, and shrinks with it."""
    turns = [Turn(100.0, {}, [WorkerTurn(0, 10.0, {"vec.wait": 10.0})])] * 10
    barrier = structure(
        kind="lock-step", own={"vec.send": 3.0, "": 1.0}, waited={"vec.wait": 6.0}, turns=turns,
        wall_seconds=10.0,
    )  # fmt: skip
    made = profile({"vec.wait": 0.6, "vec.send": 0.3}, barrier)
    assert speedup_if(made, {"vec.wait": 0.0}) == pytest.approx(2.5)
    assert speedup_if(made, {"vec.wait": 0.5}) == pytest.approx(1 / 0.7)
    free, asked = what_if(made, Scenario()), what_if(made, Scenario(remaining={"vec.wait": 0.0}))
    assert asked.prediction is not None
    assert asked.prediction.speedup == free.ceilings[0].free == pytest.approx(2.5)
    told = with_ceilings(made).stages[0].ceiling_speedup
    assert told == pytest.approx(2.5), "one figure, whoever prints it"
