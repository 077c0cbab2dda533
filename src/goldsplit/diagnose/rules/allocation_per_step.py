"""New arrays are made in every environment step, and making them is a real part of its time.

## What it sees

Calls on lines of your own code that make arrays (`np.zeros`, `np.full`, `np.stack`, `np.concatenate`, ...)
at least once per environment step, and the time inside those calls. It speaks if they are a real share of
the environment's time.

## Why it is slow

Each array is asked from the memory allocator, cleared, filled, joined with others by copying, and thrown
away. A small array costs more in bookkeeping than in content; a large one touches fresh memory page by
page.

## Example

```python
def observe(self):  # slow
    planes = [np.zeros((20, 20), np.float32) for _ in range(12)]
    ...
    return np.stack(planes)


def observe(self):  # fast: one array, made in __init__
    self.planes.fill(0.0)
    ...
    return self.planes
```

## What to do

Make the arrays once and fill them in place. Where the caller keeps an observation until the next one (as
replay and rollouts do), hand out several in turn: `goldsplit.fast.buffers.ArrayRotation`.

## When not

If somebody keeps the returned array without copying it: reused memory would change under their hands. SB3's
buffers and `goldsplit.fast.replay` copy; a `deque` of observations does not. Check with `goldsplit env
TARGET --hash`.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of_sites
from goldsplit.diagnose.deep_places import bare
from goldsplit.diagnose.deep_reading import by_function, calls_per_step, check_the_game, sites_of
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import Site
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ENV, GAME

LEAST_CALLS_PER_STEP = 2.0


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function that allocates in the environment's step."""
    if profile.deep is None:
        return
    sites = [site for site in sites_of(profile.deep, "allocation") if is_in_the_game(site)]
    for lines in by_function(sites).values():
        per_step = calls_per_step(lines)
        cost = cost_of_sites(profile, lines, lines[0].place)
        if per_step is None or per_step < LEAST_CALLS_PER_STEP or not cost.worth_a_line:
            continue
        worst = lines[0]
        yield Finding(
            code=RULE.code,
            title=f"{bare(worst.place.function)}() makes {per_step:,.0f} arrays per env step: "
            f"{percent(cost.share)} of wall time",
            where=worst.place,
            stage=worst.stage,
            evidence={
                "arrays_per_env_step": per_step,
                "dearest_callee": worst.callee,
                "bytes_per_call": worst.amount,
                "lines": sorted({site.place.line for site in lines}),
                "share_of_windows": sum(site.share or 0.0 for site in lines),
            },
            share=cost.share,
            ceiling_speedup=cost.ceiling_speedup,
            confidence="medium",
            remedy="make the arrays once and fill them in place; goldsplit.fast.buffers.ArrayRotation "
            "hands out preallocated ones in turn",
            verify=check_the_game(profile, worst.stage),
            effort="hours",
            risk="whoever keeps a returned array must copy it",
        )


def is_in_the_game(site: Site) -> bool:
    """Whether the line runs in the environment."""
    return site.stage is not None and site.stage.startswith((ENV, GAME))


RULE = Rule("allocation-per-step", check, needs_deep=True)
