"""When snapshots and raw windows happen: the same in every process, whatever moment it asks."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from goldsplit.record.inside import snapshot_schedule as schedule
from goldsplit.record.inside.snapshot_schedule import RAW_WINDOW_NS, SECOND

ages = st.integers(0, 36_000 * SECOND)
starts = st.integers(0, 10**15)


@given(starts, ages)
def test_the_next_snapshot_is_ahead_and_on_the_common_grid(start: int, age: int) -> None:
    now = start + age
    due = schedule.next_snapshot_ns(now, start)
    interval = schedule.snapshot_interval_ns(age)
    assert now < due <= now + interval
    assert (due - start) % interval == 0


@given(starts, ages, st.floats(0, 1, exclude_max=True))
def test_processes_that_ask_at_different_moments_agree(start: int, age: int, later: float) -> None:
    """Two processes between the same two snapshots wait for the same instant."""
    due = schedule.next_snapshot_ns(start + age, start)
    other = start + age + int(later * (due - start - age))
    assert schedule.next_snapshot_ns(other, start) == due


@given(starts, ages)
def test_a_raw_window_lies_inside_its_period(start: int, age: int) -> None:
    now = start + age
    begin, end = schedule.raw_window(now, start)
    period = schedule.raw_period_ns(age)
    assert end - begin == RAW_WINDOW_NS
    index = age // period
    assert start + index * period <= begin
    assert end <= start + (index + 1) * period


@given(starts, ages, st.floats(0, 1, exclude_max=True))
def test_all_processes_see_the_same_raw_window(start: int, age: int, later: float) -> None:
    """Whoever asks before the period is over gets the same window."""
    period = schedule.raw_period_ns(age)
    left = (age // period + 1) * period - age
    other = start + age + int(later * left)
    assert schedule.raw_window(start + age, start) == schedule.raw_window(other, start)


def test_early_raw_windows_follow_each_other() -> None:
    windows = [schedule.raw_window(second * SECOND, 0) for second in range(15)]
    assert all(before[1] == after[0] for before, after in itertools.pairwise(windows))


def test_later_raw_windows_do_not_march_in_step() -> None:
    period = schedule.raw_period_ns(60 * SECOND)
    starts = [schedule.raw_window(60 * SECOND + i * period, 0)[0] % period for i in range(15)]
    assert len({start // (period // 20) for start in starts}) > 6


@given(ages, ages)
def test_things_thin_out_with_age_and_never_thicken(one: int, other: int) -> None:
    young, old = sorted((one, other))
    assert schedule.snapshot_interval_ns(young) <= schedule.snapshot_interval_ns(old)
    assert schedule.raw_period_ns(young) <= schedule.raw_period_ns(old)
