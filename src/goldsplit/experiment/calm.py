"""What else the machine does while a trial runs: read from /proc before and after."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from pathlib import Path

from goldsplit.model.experiment.trial import Calm

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
#: Fields of the first line of /proc/stat: user, nice, system, (idle, iowait), irq, softirq, steal.
_BUSY_FIELDS = (0, 1, 2, 5, 6)
_STEAL_FIELD = 7


@dataclass(frozen=True, slots=True)
class Reading:
    """The machine's counters at one instant. None: the system does not tell."""

    busy_seconds: float | None
    stolen_seconds: float | None
    own_seconds: float
    """CPU time of this process and of its children that have ended."""
    load: float | None


def read_machine() -> Reading:
    """The counters now."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own = sum(one.ru_utime + one.ru_stime for one in used)
    try:
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        busy: float | None = sum(ticks[field] for field in _BUSY_FIELDS) / _TICKS_PER_SECOND
        stolen: float | None = ticks[_STEAL_FIELD] / _TICKS_PER_SECOND
    except (OSError, ValueError, IndexError):
        busy = stolen = None
    try:
        load: float | None = os.getloadavg()[0]
    except OSError:
        load = None
    return Reading(busy, stolen, own, load)


def calm_between(before: Reading, after: Reading, seconds: float, cores: int) -> Calm:
    """What others did meanwhile; the trial's own processor time is taken off, as far as its processes have
    ended."""
    if before.busy_seconds is None or after.busy_seconds is None or seconds <= 0:
        return Calm(before.load, None, None, cores)
    own = after.own_seconds - before.own_seconds
    others = max(0.0, after.busy_seconds - before.busy_seconds - own) / seconds
    stolen = None
    if before.stolen_seconds is not None and after.stolen_seconds is not None:
        stolen = max(0.0, after.stolen_seconds - before.stolen_seconds) / (seconds * cores)
    return Calm(
        before.load, round(min(others, cores), 3), None if stolen is None else round(stolen, 4), cores
    )
