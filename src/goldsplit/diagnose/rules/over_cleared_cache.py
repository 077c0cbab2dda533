"""A cache is cleared so often that it computes the same values again.

## What it sees

A cache of your own (`functools.lru_cache`, or a dict that a function asks first) that was cleared in the
windows, and that then computed values again for keys which it had held before, each time with the same
result. What counts is the time spent on computing again, not the number of misses.

## Why it is slow

Clearing everything on every move is the safe way to invalidate. But a line of sight depends on walls, not
on units: it stays true for the whole game.

## Example

```python
def move(self, unit, cell):  # slow
    unit.cell = cell
    self._sight_cache.clear()


def move(self, unit, cell):  # fast: sight depends on walls; they are bumped where walls change
    unit.cell = cell
    self.cache.bump("positions")
```

## What to do

Write down what each cached value depends on, and drop it only when that changes.
`goldsplit.fast.cache.PhaseCache` keeps exactly that list: `PhaseCache({"sight": ["walls"], "targets":
["walls", "positions"]})`, and `verify=0.01` recomputes some of the hits and complains about a forgotten
change.

## When not

If a value really depends on what changes at each move. If values are cheap: on a real project 64 % of the
computations were such repeats and keeping them gained nothing measurable, while asking one question per
source instead of one per pair gained 1.7-1.9x. So look at the ceiling first.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import Cost, cost_of_cache
from goldsplit.diagnose.deep_places import bare, function_at
from goldsplit.diagnose.deep_reading import check_the_game
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import CacheUse, DeepLook
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_CLEARS = 2
LEAST_REPEATED_MISSES = 20
#: Part of the misses that must have been for a key which the cache had held.
LEAST_REPEATED = 0.2


def check(profile: Profile) -> Iterator[Finding]:
    """All caches whose clearing costs something."""
    deep = profile.deep
    for cache in deep.caches if deep is not None else ():
        if deep is None or not is_forgetful(deep, cache):
            continue
        cost = cost_of_cache(profile, cache, cache.repeated_misses * (cache.value_us or 0.0))
        if cost.worth_a_line:
            yield finding_of(profile, cache, cost)


def is_forgetful(deep: DeepLook, cache: CacheUse) -> bool:
    """Whether it was cleared, computed keys again, and got what it had held."""
    function = function_at(deep, cache.place)
    return (
        cache.clears >= LEAST_CLEARS
        and cache.repeated_misses >= LEAST_REPEATED_MISSES
        and cache.repeated_misses >= LEAST_REPEATED * cache.misses
        and (function is None or function.differing == 0)
    )


def finding_of(profile: Profile, cache: CacheUse, cost: Cost) -> Finding:
    asked = cache.hits + cache.misses
    name = bare(cache.place.function)
    return Finding(
        code=RULE.code,
        title=f"the cache of {name}() is cleared too often: {cache.repeated_misses:,} of {cache.misses:,} "
        f"computed values had been there, {percent(cost.share)} of wall time",
        where=cache.place,
        stage=cache.stage,
        evidence={
            "clears": cache.clears,
            "misses": cache.misses,
            "misses_for_known_keys": cache.repeated_misses,
            "hit_rate": cache.hits / asked if asked else None,
            "value_us": cache.value_us,
            "key_us": cache.key_us,
        },
        share=cost.share,
        ceiling_speedup=cost.ceiling_speedup,
        confidence="medium",
        remedy="drop a value only when what it depends on changes: "
        "goldsplit.fast.cache.PhaseCache keeps that list",
        verify=check_the_game(profile, cache.stage),
        effort="hours",
        risk="a value kept too long plays a wrong game: use PhaseCache(verify=1.0) in tests",
    )


RULE = Rule("over-cleared-cache", check, needs_deep=True)
