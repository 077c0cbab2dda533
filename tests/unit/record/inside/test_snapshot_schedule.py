"""When snapshots and raw windows happen: the same in every process, whenever it asks."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from goldsplit.record.inside import snapshot_schedule
from goldsplit.record.inside.snapshot_schedule import RAW_WINDOW_NS, SECOND

ages = st.integers(0, 36_000 * SECOND)
starts = st.integers(0, 10**15)


@given(starts, ages)
def test_the_next_snapshot_is_ahead_and_on_the_common_grid(start: int, age: int) -> None:
    now = start + age
    due = snapshot_schedule.next_snapshot_ns(now, start)
    interval = snapshot_schedule.snapshot_interval_ns(age)
    assert now < due <= now + interval
    assert (due - start) % interval == 0


@given(starts, ages, st.floats(0, 1, exclude_max=True))
def test_processes_that_ask_at_different_moments_agree(start: int, age: int, later: float) -> None:
    """Two processes between the same two snapshots wait for the same instant."""
    due = snapshot_schedule.next_snapshot_ns(start + age, start)
    other = start + age + int(later * (due - start - age))
    assert snapshot_schedule.next_snapshot_ns(other, start) == due


@given(starts, ages)
def test_a_raw_window_lies_inside_its_period(start: int, age: int) -> None:
    now = start + age
    begin, end = snapshot_schedule.raw_window(now, start)
    period = snapshot_schedule.raw_period_ns(age)
    assert end - begin == RAW_WINDOW_NS
    index = age // period
    assert start + index * period <= begin
    assert end <= start + (index + 1) * period


@given(starts, ages, st.floats(0, 1, exclude_max=True))
def test_all_processes_see_the_same_raw_window(start: int, age: int, later: float) -> None:
    """A process that asks before the period is over gets the same window."""
    period = snapshot_schedule.raw_period_ns(age)
    left = (age // period + 1) * period - age
    other = start + age + int(later * left)
    assert snapshot_schedule.raw_window(start + age, start) == snapshot_schedule.raw_window(other, start)


def test_early_raw_windows_follow_each_other() -> None:
    windows = [snapshot_schedule.raw_window(second * SECOND, 0) for second in range(15)]
    assert all(before[1] == after[0] for before, after in itertools.pairwise(windows))


def test_later_raw_windows_lie_at_changing_places_of_their_period() -> None:
    period = snapshot_schedule.raw_period_ns(60 * SECOND)
    starts = [snapshot_schedule.raw_window(60 * SECOND + i * period, 0)[0] % period for i in range(15)]
    assert len({start // (period // 20) for start in starts}) > 6


@given(ages, ages)
def test_snapshots_and_raw_windows_get_rarer_with_age(one: int, other: int) -> None:
    young, old = sorted((one, other))
    assert snapshot_schedule.snapshot_interval_ns(young) <= snapshot_schedule.snapshot_interval_ns(old)
    assert snapshot_schedule.raw_period_ns(young) <= snapshot_schedule.raw_period_ns(old)
