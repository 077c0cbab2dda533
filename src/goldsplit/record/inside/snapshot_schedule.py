"""When to write: pure functions of the run's age, so that all processes of a run agree without talking.

At first everything is written often, because short runs must be explained too; later less often, so that disk
use per minute falls with the length of the run.
"""

from __future__ import annotations

SECOND = 1_000_000_000
RAW_WINDOW_NS = SECOND


def snapshot_interval_ns(age_ns: int) -> int:
    """How far apart snapshots are, at this age of the run."""
    if age_ns < 4 * SECOND:
        return SECOND // 4
    if age_ns < 10 * SECOND:  # after long imports a short loop begins about now
        return SECOND // 2
    if age_ns < 60 * SECOND:
        return SECOND
    return 2 * SECOND if age_ns < 600 * SECOND else 5 * SECOND


def next_snapshot_ns(now_ns: int, run_start_ns: int) -> int:
    """The next common instant at which every process takes a snapshot."""
    age = now_ns - run_start_ns
    interval = snapshot_interval_ns(age)
    return run_start_ns + (age // interval + 1) * interval


def raw_period_ns(age_ns: int) -> int:
    """How far apart raw windows are, at this age of the run. At first there is no gap between them: a slow
    loop is then seen whole, a fast one up to the limit on spans."""
    if age_ns < 15 * SECOND:
        return RAW_WINDOW_NS
    return 3 * SECOND if age_ns < 300 * SECOND else 10 * SECOND


def raw_window(now_ns: int, run_start_ns: int) -> tuple[int, int]:
    """Start and end of the raw window of the period that `now` lies in.

    Its place in the period is pseudo-random (the same in every process), so that it does not always meet the
    same part of a periodic loop.
    """
    age = now_ns - run_start_ns
    period = raw_period_ns(age)
    index = age // period
    scattered = ((index + 1) * 2654435761) % 2**32 / 2**32
    start = run_start_ns + index * period + int(scattered * (period - RAW_WINDOW_NS))
    return start, start + RAW_WINDOW_NS
