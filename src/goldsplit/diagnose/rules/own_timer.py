"""A timer of your own runs in the loop: what it says cannot be judged, so here is what was measured.

## What it sees

Functions and classes of your own code that are named like timers or profilers (`StageTimer`,
`profile_step`, `time_block`, `tic`) and run in the training loop, with their own cost. Whether what they
report is true is not seen: that depends on where they are started and stopped.

## Why it is slow

It seldom is: the cost shown is its own, mostly far below 2 %. But hand-written timers mislead. One timed an
attribute access and printed "observation 0.0 %" where building observations took 62 %. One was read after
the backward pass and counted it twice, as forward and as backward. One added the seconds of all threads and
divided by wall time: 1108 % for a single stage. Weeks went into the wrong place each time.

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

Compare its figures with the stage table of this report. Where they differ, look at what lies between its
start and its stop. Then take it out, or replace it by `with goldsplit.stage("name")`, which costs nothing
when nothing is recorded.

## When not

If it feeds something else than your eyes (a scheduler, a time limit), keep it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from goldsplit.diagnose.rule import Rule, record_again
from goldsplit.model.deep import DeepFunction
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

_CLASS = re.compile(r"(timer|stop_?watch|profiler|timing)s?$", re.IGNORECASE)
_FUNCTION = re.compile(
    r"(time_(it|block|stage|step|section|function)|timeit|timed|(start|stop|end)_(timer|timing|clock)|tic|toc"
    r"|profile_\w+|measure_time|record_time|\w*_timer|\w*_timing|log_time)"
)
LEAST_CALLS_PER_STEP = 0.05


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding: all timers together, at the one that costs most."""
    deep = profile.deep
    if deep is None or not profile.stages:
        return
    timers = [function for function in deep.functions if is_timer(function)]
    calls = sum(timer.calls_per_env_step or 0.0 for timer in timers)
    if not timers or calls < LEAST_CALLS_PER_STEP:
        return
    dearest = max(timers, key=lambda timer: (timer.self_share, timer.calls))
    share = min(1.0, sum(timer.self_share for timer in timers))
    top = sorted(profile.stages, key=lambda row: -row.wall_share)[:4]
    told = ", ".join(f"{row.stage} {row.wall_share:.0%}" for row in top[:2])
    yield Finding(
        code=RULE.code,
        title=f"your {name_of(dearest)} is called {calls:.1f} times per env step; measured here: {told}",
        where=dearest.place,
        stage=dearest.stage,
        evidence={
            "timer_calls_per_env_step": calls,
            "timer_self_share": share,
            "timers": sorted({name_of(timer) for timer in timers}),
            "measured_shares": {row.stage: row.wall_share for row in top},
        },
        share=share,
        ceiling_speedup=1.0 / (1.0 - share) if share < 1.0 else None,
        confidence="medium",
        remedy="compare its figures with this report's stage table, then take it out or use "
        'with goldsplit.stage("name")',
        verify=record_again(profile, deep=True),
        effort="minutes",
    )


def is_timer(function: DeepFunction) -> bool:
    """Whether a function, or the class or decorator that it belongs to, is named like a timer."""
    *owners, last = [part for part in function.place.function.split(".") if part != "<locals>"]
    return _FUNCTION.fullmatch(last) is not None or any(
        _CLASS.search(owner) or _FUNCTION.fullmatch(owner) for owner in owners
    )


def name_of(function: DeepFunction) -> str:
    """A timer by its class, or by its own name."""
    return function.place.function.split(".")[0]


RULE = Rule("own-timer", check, needs_deep=True)
