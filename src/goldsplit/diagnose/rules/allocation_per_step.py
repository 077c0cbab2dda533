"""New arrays are made in every environment step, and making them takes a noticeable part of its time.

## What it sees

Calls on lines of your own code that make arrays (`np.zeros`, `np.full`, `np.stack`, `np.concatenate`, ...)
at least twice per environment step, and the time inside those calls.

## Why it is slow

Each array is allocated, cleared, filled, copied when it is joined with others, and thrown away. For a small
array this bookkeeping costs more than the content; a large one touches fresh memory page by page.

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

Make the arrays once and fill them in place. If the caller keeps an observation until the next one (as
replay and rollouts do), return several arrays in turn: `goldsplit.fast.buffers.ArrayRotation`.

## When not

If the caller keeps the returned array without copying it: its content changes when the array is filled
again. SB3's buffers and `goldsplit.fast.replay` copy; a `deque` of observations does not. Check with
`goldsplit env TARGET --hash`.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of_sites
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import by_function, calls_per_step, sites_of, verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import Site
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ENV, GAME

LEAST_CALLS_PER_STEP = 2.0


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function that allocates in the environment's step."""
    if profile.deep is None:
        return
    sites = [site for site in sites_of(profile.deep, SiteKind.ALLOCATION) if is_in_the_game(site)]
    for lines in by_function(sites).values():
        per_step = calls_per_step(lines)
        cost = cost_of_sites(profile, lines, lines[0].place)
        if per_step is None or per_step < LEAST_CALLS_PER_STEP or not cost.worth_mentioning:
            continue
        worst = lines[0]
        yield Finding(
            code=RULE.code,
            title=f"{bare_name(worst.place.function)}() makes {per_step:,.0f} arrays per env step: "
            f"{percent(cost.share)} of wall time",
            where=worst.place,
            stage=worst.stage,
            evidence={
                "arrays_per_env_step": per_step,
                "most_expensive_callee": worst.callee,
                "bytes_per_call": worst.amount,
                "lines": sorted({site.place.line for site in lines}),
                "share_of_windows": sum(site.share or 0.0 for site in lines),
            },
            **cost.figures,
            confidence="medium",
            remedy="make the arrays once and fill them in place; goldsplit.fast.buffers.ArrayRotation "
            "returns preallocated ones in turn",
            verify=verify_command(profile, worst.stage),
            effort="hours",
            risk="code that keeps a returned array must copy it",
        )


def is_in_the_game(site: Site) -> bool:
    """Whether the line runs in the environment."""
    return site.stage is not None and site.stage.startswith((ENV, GAME))


RULE = Rule("allocation-per-step", check, needs_deep=True)
