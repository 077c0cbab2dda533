"""The processor time that this process really had. What the deep look may cost is a share of it: on a busy
machine, or where a program waits for others, much less of it goes by than of the wall clock's."""

from __future__ import annotations

from time import perf_counter_ns, process_time_ns

_LOADED_NS = perf_counter_ns() - process_time_ns()


def worked_ns() -> int:
    """How long this process has worked; on several processors not more than the time that has gone by."""
    return min(process_time_ns(), perf_counter_ns() - _LOADED_NS)
