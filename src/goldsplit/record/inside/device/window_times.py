"""When the device is looked at: often at first, because short runs must be explained too; never so often that
it costs more than a small part of the run."""

from __future__ import annotations

SECOND = 1_000_000_000

#: Windows of marks may cost this part of the run, and windows of the profiler this.
MARKS_BUDGET, KERNELS_BUDGET = 0.006, 0.006
#: Profiler windows: the first length, and how many events one should have.
FIRST_LENGTH_NS, SHORTEST_NS, LONGEST_NS = 80_000_000, 30_000_000, 600_000_000
WANTED_EVENTS = 8_000


def marks_gap_ns(age_ns: int, cost_ns: int) -> int:
    """From the end of one window of marks to the start of the next, at this age of the run."""
    least = 0.25 if age_ns < 20 * SECOND else 1.5 if age_ns < 300 * SECOND else 8
    return max(int(least * SECOND), int(cost_ns / MARKS_BUDGET))


def kernels_gap_ns(number: int, cost_ns: int) -> int:
    """From the end of the profiler's window with this number (from 1) to the start of the next.

    The first one loads the profiler, which is paid once: it says nothing about what the next one costs.
    """
    least = min(300.0, 0.8 * 1.25**number)
    return max(int(least * SECOND), int(cost_ns / KERNELS_BUDGET) if number > 1 else 0)


def next_length_ns(length_ns: int, events: int) -> int:
    """The length of the next profiler window, by how many events the last one had."""
    wanted = length_ns * WANTED_EVENTS // max(1, events)
    return max(SHORTEST_NS, min(LONGEST_NS, 2 * length_ns, wanted))


def scattered(gap_ns: int, now_ns: int) -> int:
    """A gap between 0.6 and 1.4 times as long: no rhythm with the loop's own."""
    return gap_ns * (600 + (now_ns >> 5) % 801) // 1000
