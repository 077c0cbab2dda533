"""From the driver's histogram to figures: close to the exact ones, and None where nothing was measured."""

from __future__ import annotations

import random
from typing import Any

import pytest

from goldsplit.analyse.env_look import episodes, look, percentile_ns, slowest_share, speed, spread
from goldsplit.model.env_alone.drive_record import (
    Bucket,
    CallTimes,
    DriveRecord,
    EpisodeLength,
    Played,
    PlayHash,
    Problem,
    Request,
    SpeedWindow,
)
from goldsplit.record.drive.timing import Times


def histogram(values: list[int]) -> CallTimes:
    times = Times()
    for value in values:
        times.add(value)
    buckets = tuple(Bucket(*row) for row in times.plain()["buckets"])
    return CallTimes(times.calls, times.total_ns, times.longest_ns, buckets)


@pytest.mark.parametrize("seed", range(4))
def test_percentiles_are_within_two_percent_and_shares_within_a_thousandth(seed: int) -> None:
    chance = random.Random(seed)
    values = sorted(int(chance.lognormvariate(10, 1.2)) + 50 for _ in range(20_000))
    found = spread(histogram(values))
    for part, figure in ((0.5, found.p50_us), (0.95, found.p95_us), (0.99, found.p99_us)):
        assert figure == pytest.approx(values[int(part * len(values)) - 1] / 1e3, rel=0.02)
    exact = sum(values[-1000:]) / sum(values)
    assert found.slowest_share == pytest.approx(exact, abs=0.001)
    assert found.max_us == values[-1] / 1e3
    assert found.mean_us == pytest.approx(sum(values) / len(values) / 1e3)


def test_equal_steps_have_no_tail() -> None:
    buckets = histogram([1000] * 100).buckets
    assert slowest_share(buckets, 0.05) == pytest.approx(0.05)
    assert percentile_ns(buckets, 0.99) == 1000


def test_a_single_step() -> None:
    found = spread(histogram([2500]))
    assert found.p50_us == found.p99_us == found.max_us == 2.5
    assert found.slowest_share == pytest.approx(0.05)


def test_what_was_not_measured_is_none() -> None:
    assert spread(histogram([])).p50_us is None
    assert speed(0, 0, []).steps_per_second is None
    assert episodes(None, []).ended is None
    assert episodes(0, []).mean_steps is None


def test_the_spread_of_the_speed_needs_some_windows() -> None:
    few = speed(100, 10**9, [SpeedWindow(10, 10**8)] * 3)
    assert (few.steps_per_second, few.low, few.windows) == (100.0, None, 3)
    many = speed(100, 10**9, [SpeedWindow(n, 10**8) for n in range(1, 21)])
    assert (many.low, many.high) == (30.0, 180.0), "a tenth is cut off at both ends"


def test_lengths_of_episodes() -> None:
    found = episodes(4, [EpisodeLength(2, 1), EpisodeLength(10, 2), EpisodeLength(30, 1)])
    assert (found.mean_steps, found.p50_steps) == (13.0, 10.0)
    assert (found.shortest_steps, found.longest_steps) == (2, 30)


REQUEST = Request("game:Game", "random", seed=1, vector=1)


def written(**played: Any) -> DriveRecord:
    return DriveRecord(REQUEST, Played(**{"calls": 10, "steps": 10} | played), finished=True)


def hashed(value: str, steps: int = 10) -> PlayHash:
    return PlayHash(value, steps, wanted=10)


def test_times_are_of_the_pass_that_was_not_recorded() -> None:
    timed = written(
        step_ns=600,
        mask_ns=100,
        wall_ns=1250,
        resets=CallTimes(1, 300, 300, (Bucket(285, 1, 300),)),
    )
    found = look(timed, written(steps=99, step_ns=10**9, wall_ns=10**9))
    assert (found.timed_steps, found.steps, found.finished) == (10, 99, True)
    assert found.driver_share == pytest.approx(0.2)
    assert found.reset_share == pytest.approx(0.3)
    assert found.mask_share == pytest.approx(0.1)
    assert found.mask_us == pytest.approx(0.01)
    assert found.hash is None
    assert found.hash_share is None


def test_the_hash_is_compared_between_the_passes() -> None:
    def repeated(timed: PlayHash | None, recorded: PlayHash) -> bool | None:
        found = look(written(hash=timed), written(hash=recorded)).hash
        assert found is not None
        return found.repeated

    assert repeated(hashed("a"), hashed("a")) is True
    assert repeated(hashed("a"), hashed("b")) is False
    assert repeated(hashed("a", steps=5), hashed("b")) is None, "the timed pass stopped earlier"
    assert repeated(None, hashed("b")) is None
    partial = look(written(hash=hashed("a", steps=4)), None)
    assert partial.hash is not None
    assert (partial.hash.complete, partial.hash.repeated, partial.finished) == (False, None, False)


def test_a_driver_that_did_not_come_to_its_first_reset() -> None:
    problem = Problem("no module", "install it", trace="")
    found = look(DriveRecord(REQUEST, Played(), finished=False, problem=problem), None)
    assert found.steps == 0
    assert found.failure is not None
    assert found.failure.message == "no module"


def test_doubts_are_told() -> None:
    assert look(written(episodes=None, dead_ends=3), None).notes == [
        "step does not return whether the episode is over, so no reset was made",
        "3 masks allowed no action at all; any action was taken then",
    ]
