"""A cache costs more than it saves: making its keys takes longer than computing the values.

## What it sees

A cache in your own code for which both were measured: the time per call for making the key and looking it
up, and the time per miss for computing the value. It is reported if a key costs at least half as much as a
value, and all keys together cost more than the hits saved.

## Why it is slow

The key is made on every call, hit or miss. A key of `tuple(board.flatten())` or `json.dumps(state)` walks
the whole state in Python, and hashing it walks it again, to save a sum that takes NumPy a microsecond.

## Example

```python
def free_cells(self):  # slow: the key costs more than the count
    key = tuple(map(tuple, self.board))
    if key not in self._cache:
        self._cache[key] = int((self.board == 0).sum())
    return self._cache[key]


def free_cells(self):  # fast
    return int((self.board == 0).sum())
```

## What to do

Compute without the cache; or find a key that costs nothing: a version number that is raised where the state
changes (that is what `goldsplit.fast.cache.PhaseCache` does), or a hash that each move updates.

## When not

If a few values are far more expensive than the others: the finding compares means. Look at the hit rate too:
a cache that is never hit has the same remedy.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of_cache
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import CacheUse
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_CALLS = 50
#: A key is expensive from this part of its value's cost on.
LEAST_OF_VALUE = 0.5


def check(profile: Profile) -> Iterator[Finding]:
    """All caches that cost more than they save."""
    deep = profile.deep
    for cache in deep.caches if deep is not None else ():
        loss_us = lost_us(cache)
        if loss_us <= 0.0:
            continue
        cost = cost_of_cache(profile, cache, loss_us)
        if not cost.worth_mentioning:
            continue
        name, asked = bare_name(cache.place.function), cache.hits + cache.misses
        yield Finding(
            code=RULE.code,
            title=f"the cache in {name}() costs more than it saves: {cache.key_us:.1f} us per key, "
            f"{cache.value_us:.1f} us per value, {percent(cost.share)} of wall time",
            where=cache.place,
            stage=cache.stage,
            evidence={
                "key_us": cache.key_us,
                "value_us": cache.value_us,
                "hit_rate": cache.hits / asked,
                "calls": asked,
                "entries": cache.entries,
                "calls_per_env_step": cache.calls_per_env_step,
            },
            **cost.figures,
            confidence="medium",
            remedy="compute the value each time, or use a key that costs nothing, such as a version number "
            "that is raised where the state changes (goldsplit.fast.cache.PhaseCache)",
            verify=verify_command(profile, cache.stage),
            effort="minutes",
            risk="none if the cache is only removed",
        )


def lost_us(cache: CacheUse) -> float:
    """Microseconds that all keys cost beyond what the hits saved; 0 if it saves time or was not measured."""
    asked = cache.hits + cache.misses
    if cache.key_us is None or cache.value_us is None or asked < LEAST_CALLS:
        return 0.0
    if cache.key_us < LEAST_OF_VALUE * cache.value_us:
        return 0.0  # such a cache suffers from its hit rate: see over-cleared-cache
    return asked * cache.key_us - cache.hits * cache.value_us


RULE = Rule("cache-key-costs-more-than-value", check, needs_deep=True, yields_to=("over-cleared-cache",))
