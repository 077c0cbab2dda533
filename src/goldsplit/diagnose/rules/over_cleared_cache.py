"""A cache is cleared so often that it computes the same values again.

## What it sees

A cache in your own code (`functools.lru_cache`, or a dict that a function looks into first) that was cleared
in the windows, and then computed values again for keys that it had held before, each time with the same
result. The time spent on computing again counts, not the number of misses.

## Why it is slow

Clearing everything on every move is safe. But a line of sight depends on walls, not on units: it stays valid
for the whole game.

## Example

```python
def move(self, unit, cell):  # slow
    unit.cell = cell
    self._sight_cache.clear()


def move(self, unit, cell):  # fast: sight depends on "walls", which are bumped where walls change
    unit.cell = cell
    self.cache.bump("positions")
```

## What to do

Write down what each cached value depends on, and drop it only when that changes.
`goldsplit.fast.cache.PhaseCache` takes exactly that list: `PhaseCache({"sight": ["walls"], "targets":
["walls", "positions"]})`, and `verify=0.01` computes some of the hits again and reports a change that you
forgot.

## When not

If a value really depends on what changes at each move. If values are cheap: in a real project 64 % of the
computations were such repeats, and keeping them gained nothing measurable, while one search per source
instead of one per pair made the run 1.7-1.9x faster. So look at the ceiling first.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import Cost, cost_of_cache
from goldsplit.diagnose.deep_places import bare_name, function_at
from goldsplit.diagnose.deep_reading import verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import CacheUse, DeepLook
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_CLEARS = 2
LEAST_REPEATED_MISSES = 20
#: Part of the misses that must have been for a key that the cache had held before.
LEAST_REPEATED = 0.2


def check(profile: Profile) -> Iterator[Finding]:
    """All caches that lose time by being cleared."""
    deep = profile.deep
    for cache in deep.caches if deep is not None else ():
        if deep is None or not is_forgetful(deep, cache):
            continue
        cost = cost_of_cache(profile, cache, cache.repeated_misses * (cache.value_us or 0.0))
        if cost.worth_mentioning:
            yield finding_of(profile, cache, cost)


def is_forgetful(deep: DeepLook, cache: CacheUse) -> bool:
    """Whether a cache was cleared, computed known keys again, and got the values that it had held."""
    function = function_at(deep, cache.place)
    return (
        cache.clears >= LEAST_CLEARS
        and cache.repeated_misses >= LEAST_REPEATED_MISSES
        and cache.repeated_misses >= LEAST_REPEATED * cache.misses
        and (function is None or function.differing == 0)
    )


def finding_of(profile: Profile, cache: CacheUse, cost: Cost) -> Finding:
    asked = cache.hits + cache.misses
    name = bare_name(cache.place.function)
    return Finding(
        code=RULE.code,
        title=f"the cache of {name}() is cleared too often: {cache.repeated_misses:,} of {cache.misses:,} "
        f"computed values were known before, {percent(cost.share)} of wall time",
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
        **cost.figures,
        confidence="medium",
        remedy="drop a value only when what it depends on changes: goldsplit.fast.cache.PhaseCache does that",
        verify=verify_command(profile, cache.stage),
        effort="hours",
        risk="a value that is kept too long makes the game wrong: use PhaseCache(verify=1.0) in tests",
    )


RULE = Rule("over-cleared-cache", check, needs_deep=True)
