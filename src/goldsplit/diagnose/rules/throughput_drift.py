"""The run slows down: an environment step costs more and more.

## What it sees

The wall time per env step (not per episode), window by window since learning began; stalls, and time in which
the machine had no core for the run, do not count. It must rise steadily, all along the run, by more than
chance (in a run of less than half a minute, by more than half: a busy neighbour on the machine looks
similar). A cost that changes once and stays so (another level of the game) is no such rise: the report says
where it changed. Then the stage that grew most per step, and what it grows with: stored transitions, episode
length, memory, open files.

## Why it is slow

Something grows with the run, and each step goes through all of it: a history list that is searched, a log
that is summed up again, a cache without a limit, a plot that is redrawn with all its points. The FPS that
most libraries show is a mean since the start, and hides it.

## Example

```python
if position in self.visited:  # slow: self.visited is a list that grows forever
    reward -= 0.1
self.visited.append(position)

self.visited = set()  # fast: a lookup costs the same however many there are
```

## What to do

Find what grows at the named line: limit it (`deque(maxlen=...)`), index it (`set`, `dict`), or keep a
running sum instead of computing it again. Then record again for the same time.

## When not

If a step must cost more as the agent improves: longer fights, more units on the board. Then it is the game,
not a fault; plan with `goldsplit horizon RUN`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from goldsplit.diagnose.rule import Rule, line_in, record_again
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_FACTOR = 1.2
#: Within some seconds a busy neighbour on the machine looks like growth: a short run must grow more.
SHORT_SECONDS, LEAST_FACTOR_SHORT = 30.0, 1.6
LEAST_STAGE_FACTOR = 1.3
LEAST_CORRELATION = 0.8
LEAST_WINDOWS = 6
#: The stage that grew must explain this much of the growth: a machine that slows down makes all of them grow.
EXPLAINED = 0.6


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding: on the stage that grew most."""
    drift = profile.drift
    factor, before, after = drift.cost_factor, drift.us_per_env_step_first, drift.us_per_env_step_last
    speed = profile.throughput.env_steps_per_second
    if not drift.slows_down or not drift.growing_stages or drift.windows_compared < LEAST_WINDOWS:
        return
    if before is None or after is None or factor is None or not speed:
        return
    short = sum(window.seconds for window in profile.throughput.windows) < SHORT_SECONDS
    if factor < (LEAST_FACTOR_SHORT if short else LEAST_FACTOR):
        return
    grown = drift.growing_stages[0]
    if not stands_out(grown, after - before):
        return
    share = min(max(0.0, 1.0 - before * speed / 1e6), 1.0 - before / after)
    known = ("us_per_env_step_first", "us_per_env_step_last", "call_factor", "against", "correlation")
    yield Finding(
        code=RULE.code,
        title=f"an env step takes {factor:.1f}x as long as at the beginning of the run: {grown['stage']} grew"
        + (f" {grown['factor']:.1f}x" if grown.get("factor") else ""),
        where=line_in(profile, grown["stage"]),
        stage=grown["stage"],
        evidence={
            "us_per_env_step_first": before,
            "us_per_env_step_last": after,
            "cost_factor": factor,
            "growing_stage": {"stage": grown["stage"]}
            | {name: grown[name] for name in known if grown.get(name) is not None},
        },
        share=share,
        ceiling_speedup=1.0 / (1.0 - share),
        confidence="high" if drift.model not in (None, "constant") and factor > 1.5 else "medium",
        remedy="find what grows at this line: limit it, index it, or keep a running sum",
        verify=record_again(profile),
        effort="hours",
    )


def stands_out(grown: dict[str, Any], growth_us: float) -> bool:
    """Whether a stage grew steadily and explains most of the growth alone."""
    own_us = grown["us_per_env_step_last"] - grown["us_per_env_step_first"]
    factor, strength = grown.get("factor"), grown.get("correlation") or 0.0
    steady = grown.get("model") != "constant" and strength >= LEAST_CORRELATION
    return steady and own_us >= EXPLAINED * growth_us and (factor is None or factor >= LEAST_STAGE_FACTOR)


RULE = Rule("throughput-drift", check, yields_to=("replay-sampling-grows",))
