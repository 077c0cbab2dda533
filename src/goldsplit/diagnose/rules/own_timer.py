"""Your own timer runs in the loop: its figures cannot be checked, so compare them with what was measured.

## What it sees

Classes (with a deep look also functions) in your own code that are named like timers or profilers
(`StageTimer`, `profile_step`, `time_block`, `tic`) and run in the training loop, with their own cost.
The rule cannot see whether their figures are true: that depends on where they are started and stopped.

## Why it is slow

It is rarely slow: its own cost, shown here, is mostly far below 2 %. But hand-written timers mislead. One
timed an attribute access and printed "observation 0.0 %" while building observations took 62 %. One was read
after the backward pass and counted it twice, as forward and as backward. One added the seconds of all threads
and divided by wall time: 1108 % for a single stage. Each time, weeks of work went into the wrong place.

## Example

```python
with timer("forward"):  # misleads: the loss and the backward pass are inside
    loss = compute_loss(network(obs), target)
    loss.backward()
```

```sh
goldsplit record -- python train.py  # the same stages, no code, summing to 100 %
```

## What to do

Compare its figures with the stage table of this report. Where they differ, check which code is between its
start and its stop. Then remove it, or replace it by `with goldsplit.stage("name")`, which costs nothing
while nothing is recorded.

## When not

If something else than you reads its figures (a scheduler, a time limit), keep it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from goldsplit.diagnose.rule import Rule, percent, record_again
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import Profile
from goldsplit.model.usual_names import looks_like_timer

LEAST_CALLS_PER_STEP = 0.05


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding: all timers together, at the one that is called most."""
    timers = calls_per_step(profile)
    calls = sum(timers.values())
    if calls < LEAST_CALLS_PER_STEP or not profile.stages:
        return
    busiest = max(timers, key=lambda place: (timers[place], place.line))
    share = own_share(profile)
    top = sorted(profile.stages, key=lambda row: -row.wall_share)[:4]
    largest = ", ".join(f"{row.stage} {percent(row.wall_share)}" for row in top[:2])
    yield Finding(
        code=RULE.code,
        title=f"your {name_of(busiest)} is called {calls:.1f} times per env step; measured here: {largest}",
        where=busiest,
        stage=None,
        evidence={
            "timer_calls_per_env_step": calls,
            "timer_self_share": share,
            "timers": sorted({name_of(place) for place in timers}),
            "measured_shares": {row.stage: row.wall_share for row in top},
        },
        share=share,
        ceiling_speedup=1.0 / (1.0 - share) if share < 1.0 else None,
        confidence="medium",
        remedy="compare its figures with this report's stage table, then remove it or use "
        'with goldsplit.stage("name")',
        verify=record_again(profile),
        effort="minutes",
    )


def calls_per_step(profile: Profile) -> dict[Place, float]:
    """Calls per env step of all that is named like a timer: methods as counted, functions seen by --deep."""
    steps = profile.throughput.env_steps
    found: dict[Place, float] = defaultdict(float)
    for fact in profile.facts:
        if fact.kind == FactKind.TIMER_CALL and fact.place is not None and steps:
            found[fact.place] += fact.count / steps
    counted = {place.function for place in found}
    for function in profile.deep.functions if profile.deep is not None else ():
        name = function.place.function
        if looks_like_timer(name) and name not in counted and function.calls_per_env_step:
            found[function.place] += function.calls_per_env_step
    return found


def own_share(profile: Profile) -> float:
    """What the timers themselves cost, from stack samples."""
    spots = [spot for spot in profile.hotspots if spot.kind == "yours" and looks_like_timer(spot.function)]
    return min(1.0, sum(spot.self_share for spot in spots))


def name_of(place: Place) -> str:
    """A timer by its class, or by its own name."""
    return place.function.split(".")[0]


RULE = Rule("own-timer", check)
