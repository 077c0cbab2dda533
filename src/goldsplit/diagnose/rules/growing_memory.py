"""The memory of a process grows with every step, without an end in sight.

## What it sees

The resident memory of each process over the steady phase: it rose in every quarter of it, and by more than a
stored transition takes. With a deep look also the line that kept most of the memory that was allocated
meanwhile; it is named only if it kept enough to explain the growth.

## Why it is slow

Not at first. Then Python's garbage collector has more to walk through, the machine swaps, and hours into
the run the system kills the process. The usual cause is a list that nobody empties: losses kept with their
whole autograd graph, frames kept for a video, infos kept for a plot.

## Example

```python
losses.append(loss)  # grows: each keeps the graph of its update alive

losses.append(loss.item())  # a number
```

## What to do

Store numbers, not tensors (`.item()`, `.detach()`); bound histories with `deque(maxlen=...)`; write out
what must be kept and forget it.

## When not

A replay memory that is still filling grows too, up to its capacity. Where one is seen, or no deep look was
taken that could name the line, only growth far
above a usual transition per step is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from goldsplit.diagnose.rule import Rule, record_again
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import ProcessFigures, Profile
from goldsplit.model.stage import REPLAY

MEGABYTE = 2**20
LEAST_GROWTH_BYTES = 24 * MEGABYTE
LEAST_GROWTH = 0.05
LEAST_POINTS = 8
#: A leak that is worth a word goes on for longer than a compiler or the first batches.
LEAST_SECONDS = 2.0
#: Each quarter must grow at least this much as fast as all on average: a pool, a cache or a compiler's arena
#: that fills does not.
STILL_GROWING = 0.4
#: A line that kept less of the growth than this is not what makes the process grow. It is low because a
#: traced program runs at a fraction of its speed, and a look may fall into an update.
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
            remedy="store numbers, not tensors (.item(), .detach()); bound histories with deque(maxlen=...)",
            verify=record_again(profile, deep=True),
            effort="minutes",
        )


def steady_growth(process: ProcessFigures) -> float | None:
    """How many bytes a process grew, if it did so in a straight line; None otherwise."""
    if len(process.memory) < LEAST_POINTS or process.seconds < LEAST_SECONDS:
        return None
    times, sizes = zip(*process.memory, strict=True)
    borders = np.interp(np.linspace(times[0], times[-1], 5), times, sizes)
    grown = float(borders[4] - borders[0])
    if grown < max(LEAST_GROWTH_BYTES, LEAST_GROWTH * sizes[0]):
        return None
    return grown if np.diff(borders).min() >= STILL_GROWING * grown / 4 else None


def has_replay(profile: Profile) -> bool:
    """Whether the run has a replay memory, which may fill up to its capacity."""
    sampled = profile.deep is not None and any(site.kind == "sampling" for site in profile.deep.sites)
    return sampled or any(row.stage.startswith(REPLAY) for row in profile.stages)


def keeper(profile: Profile, pid: int, least_per_second: float) -> tuple[Place | None, float]:
    """The line of this process that kept most of what it allocated while looked at, and how much.

    None if it kept less per second than asked for.
    """
    seen = [fact for fact in profile.facts if fact.pid == pid]
    looked = sum(fact.amount for fact in seen if fact.kind == "memory_look")
    kept = [fact for fact in seen if fact.kind == "kept_bytes" and fact.place]
    most = max(kept, key=lambda fact: fact.amount, default=None)
    if most is None or most.amount < least_per_second * looked:
        return None, 0.0
    return most.place, most.amount


RULE = Rule("growing-memory", check)
