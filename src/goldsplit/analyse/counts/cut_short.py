"""Processes that were ended while they stepped a game: what they did at last was not written."""

from __future__ import annotations

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.steps_and_updates import Counting
from goldsplit.model.recording import Recording
from goldsplit.model.wire import Counter, Header
from goldsplit.record.inside.snapshot_schedule import snapshot_interval_ns

#: Steps that may be missing, as a part of all: fewer change nothing.
WORTH_TELLING = 0.01
#: More processes are not named.
MOST_NAMED = 8
_END = 1 << 62


def cut_short(recording: Recording, counting: Counting) -> list[str]:
    """A note where so many steps may be missing that the counts are too low."""
    steps = counting.at(_END).env_steps
    ended = [process.end_ns for process in recording.processes if process.end_ns]
    if not steps or not ended:
        return []
    begun_ns = recording.run.get(Header.START_NS, 0)
    missing = {
        str(one.process.id): part
        for process, one in counting.series.items()
        if process in counting.independent and (part := _at_the_end(one, begun_ns, max(ended)))
    }
    if not missing or sum(last for last, _ in missing.values()) < WORTH_TELLING * steps:
        return []
    names = list(missing)
    who = f"{'process' if len(names) == 1 else 'processes'} {', '.join(names[:MOST_NAMED])}"
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    seconds = max(ns for _, ns in missing.values()) / 1e9
    return [
        f"{who}{more} ended without saying so while stepping: env steps and episodes of the last "
        f"{seconds:.2g} s may be missing from the counts"
    ]


def _at_the_end(one: Series, begun_ns: int, ended_ns: int) -> tuple[float, int] | None:
    """The steps that a process may have made after its last snapshot, and in what time; None for one that
    said that it ended, or did not step any more."""
    if one.process.end_ns is not None or not one.process.snapshots:
        return None
    last_ns = one.process.snapshots[-1].t_ns
    interval_ns = snapshot_interval_ns(last_ns - begun_ns)
    before = one.summed(Counter.OWN_ENV_STEPS, last_ns - interval_ns) or 0
    grown = (one.summed(Counter.OWN_ENV_STEPS, last_ns) or 0) - before
    left_ns = min(interval_ns, ended_ns - last_ns)
    return (grown * left_ns / interval_ns, left_ns) if grown > 0 and left_ns > 0 else None
