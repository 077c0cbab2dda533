"""The memory of a process grows with every step and does not stop.

## What it sees

The resident memory of each process in the steady phase: it rose in every quarter, and by more per step than
a stored transition needs. A deep look also shows the line that kept most of the memory allocated during it;
it is named only if it kept enough to explain the growth.

## Why it is slow

It is not slow at first. Later Python's garbage collector has more objects to check, the machine swaps, and
after hours the system kills the process. The usual cause is a list that is never emptied: losses kept with
their whole autograd graph, frames kept for a video, infos kept for a plot.

## Example

```python
losses.append(loss)  # grows: each keeps the graph of its update alive

losses.append(loss.item())  # a number
```

## What to do

Store numbers, not tensors (`.item()`, `.detach()`); limit histories with `deque(maxlen=...)`; write what you
must keep to a file and drop it.

## When not

A replay memory that is not full yet grows too, up to its capacity. If there is one, or if there was no deep
look that could name the line, only growth far above a usual transition per step is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from goldsplit.diagnose.rule import Rule, record_again
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import ProcessFigures, Profile
from goldsplit.model.stage import REPLAY

MEGABYTE = 2**20
LEAST_GROWTH_BYTES = 24 * MEGABYTE
LEAST_GROWTH = 0.05
LEAST_POINTS = 8
#: A real leak goes on for longer than a compiler or the first batches.
LEAST_SECONDS = 2.0
#: Each quarter must grow at least this fast, relative to the mean of all. A pool, a cache or a compiler's
#: memory that fills up does not.
STILL_GROWING = 0.4
#: A line that kept less than this part of the growth is not its cause. The limit is low because a program
#: that is traced runs far slower, and the time of tracing may be in an update.
LEAST_EXPLAINED = 0.05
#: More than a stored transition takes: four frames of 84x84 and the four after them are 56 kB.
MOST_TRANSITION_BYTES = 65_536.0


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per process that grows."""
    steps = profile.throughput.env_steps_per_second
    for process in profile.processes:
        grown = steady_growth(process)
        if grown is None or not steps:
            continue
        per_second = grown / process.seconds
        per_step = per_second / steps
        place, kept = keeper(profile, process.pid, LEAST_EXPLAINED * per_second)
        if (place is None or has_replay(profile)) and per_step < MOST_TRANSITION_BYTES:
            continue
        if place is None and has_replay(profile) and was_traced(profile, process.pid):
            continue  # nothing new was kept: these are pages of a buffer, allocated before, that fills
        yield Finding(
            code=RULE.code,
            title=f"memory grows by {per_step / 1e3:,.0f} kB per env step, "
            f"{3600 * per_second / 1e9:,.1f} GB per hour",
            where=place,
            stage=None,
            evidence={
                "bytes_per_env_step": per_step,
                "gigabytes_per_hour": 3600 * per_second / 1e9,
                "resident_bytes_first": process.memory[0][1],
                "resident_bytes_last": process.memory[-1][1],
                "seconds": process.seconds,
            }
            | ({"bytes_kept_at_this_line": kept} if kept else {}),
            share=None,
            ceiling_speedup=None,
            confidence="medium" if place is not None else "low",
            remedy="store numbers, not tensors (.item(), .detach()); limit histories with deque(maxlen=...)",
            verify=record_again(profile, deep=True),
            effort="minutes",
        )


def steady_growth(process: ProcessFigures) -> float | None:
    """By how many bytes a process grew, if it grew steadily; None otherwise."""
    if len(process.memory) < LEAST_POINTS or process.seconds < LEAST_SECONDS:
        return None
    times, sizes = zip(*process.memory, strict=True)
    borders = np.interp(np.linspace(times[0], times[-1], 5), times, sizes)
    grown = float(borders[4] - borders[0])
    if grown < max(LEAST_GROWTH_BYTES, LEAST_GROWTH * sizes[0]):
        return None
    return grown if np.diff(borders).min() >= STILL_GROWING * grown / 4 else None


def has_replay(profile: Profile) -> bool:
    """Whether the run has a replay memory: it may still be filling."""
    sampled = profile.deep is not None and any(site.kind == SiteKind.SAMPLING for site in profile.deep.sites)
    return sampled or any(row.stage.startswith(REPLAY) for row in profile.stages)


def was_traced(profile: Profile, pid: int) -> bool:
    """Whether a process was looked at with tracemalloc."""
    return any(fact.kind == FactKind.MEMORY_LOOK and fact.pid == pid for fact in profile.facts)


def keeper(profile: Profile, pid: int, least_per_second: float) -> tuple[Place | None, float]:
    """The line of this process that kept most of what it allocated during tracing, and how many bytes.

    None if it kept less than `least_per_second`.
    """
    seen = [fact for fact in profile.facts if fact.pid == pid]
    traced_seconds = sum(fact.amount for fact in seen if fact.kind == FactKind.MEMORY_LOOK)
    kept = [fact for fact in seen if fact.kind == FactKind.KEPT_BYTES and fact.place]
    most = max(kept, key=lambda fact: fact.amount, default=None)
    if most is None or most.amount < least_per_second * traced_seconds:
        return None, 0.0
    return most.place, most.amount


RULE = Rule("growing-memory", check)
