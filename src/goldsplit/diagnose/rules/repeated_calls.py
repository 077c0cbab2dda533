"""A function is called again and again with equal arguments, and answers the same every time.

## What it sees

In the windows of a deep look the arguments and the result of the hottest functions of your own code are
compared by value. This rule adds up what the *repeated* calls cost: calls whose arguments an earlier call
of the same window had. It speaks only if every repeat gave an equal result, if no call changed its
arguments, and if a lookup (taken as 0.6 us) would be cheaper than the call. Findings are ranked by cost on
repeats, never by their number.

## Why it is slow

The answer was known already. In turn-based games most questions (who can see whom, what is in reach) are
asked many times between two changes of the board.

## Example

```python
for unit in self.units:  # slow: the same path field for each target
    for enemy in self.enemies:
        if self.path_field(unit.cell)[enemy.cell] < 6:
            ...

for unit in self.units:  # fast: asked once
    field = self.path_field(unit.cell)
    for enemy in self.enemies:
        if field[enemy.cell] < 6:
            ...
```

## What to do

Best of all, ask once and hand the answer on. If that is awkward, keep answers in `functools.lru_cache`
(pure functions of hashable arguments) or in `goldsplit.fast.cache.PhaseCache`, which empties exactly what a
change of the game makes stale. Then check that the game is still the same game: `goldsplit env TARGET
--hash` before and after.

## When not

If the result depends on anything that is not an argument (the clock, a random generator, a file). Functions
whose result differed on a repeat are left out here, but a window is short: a rare difference may have been
missed. Verify with the hash, or with `PhaseCache(verify=1.0)`. A repeat count says nothing: in one project
64 % of the calls of a function were repeats, and caching them gained nothing measurable.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import call_us, cost_of_function, repeated_part
from goldsplit.diagnose.deep_places import bare
from goldsplit.diagnose.deep_reading import (
    ENOUGH_CALLS,
    asks_a_cache,
    check_the_game,
    confidence_of,
    is_an_act,
    shows_the_game,
)
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.diagnose.rules.constant_result import always_answers_the_same
from goldsplit.model.deep import DeepFunction, DeepLook
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

#: What a cached answer costs, in microseconds: making a key, hashing it, looking it up.
LOOKUP_US = 0.6
#: Part of the compared calls that must be repeats.
LEAST_REPEATED = 0.2
#: More findings than this are the same few repeats seen from their callers and callees.
MOST_FINDINGS = 3


def check(profile: Profile) -> Iterator[Finding]:
    """The functions whose repeats cost most."""
    deep = profile.deep
    if deep is None:
        return
    found = [finding_of(profile, deep, function) for function in deep.functions if is_wasted(deep, function)]
    worth = sorted((finding for finding in found if finding), key=lambda finding: -(finding.share or 0.0))
    yield from worth[:MOST_FINDINGS]


def is_wasted(deep: DeepLook, function: DeepFunction) -> bool:
    """Whether repeats are many, equal, and nobody else's business."""
    return (
        function.kind in ("function", "method")
        and function.compared >= ENOUGH_CALLS
        and function.repeats >= LEAST_REPEATED * function.compared
        and function.differing == 0
        and function.mutates == 0
        and not is_an_act(function)
        and not shows_the_game(function)
        and not always_answers_the_same(function)
        and not asks_a_cache(deep, function)
    )


def finding_of(profile: Profile, deep: DeepLook, function: DeepFunction) -> Finding | None:
    """The finding on one function, if a cache would pay."""
    one_us = call_us(deep, function)
    saved = max(0.0, 1.0 - LOOKUP_US / one_us) if one_us > 0.0 else 0.0
    cost = cost_of_function(profile, function, repeated_part(function) * saved)
    if not cost.worth_a_line:
        return None
    name, repeated = bare(function.place.function), function.repeats / function.compared
    return Finding(
        code=RULE.code,
        title=f"{name}() repeats {percent(repeated)} of its calls with equal results: "
        f"{percent(cost.share)} of wall time",
        where=function.place,
        stage=function.stage,
        evidence={
            "calls_per_env_step": function.calls_per_env_step,
            "compared_calls": function.compared,
            "repeats": function.repeats,
            "repeats_in_the_same_step": function.repeats_in_step,
            "results_that_differed": function.differing,
            "call_us": round(one_us, 2),
            "object_compared_by_value": not function.self_by_identity,
            "cost_on_repeats_share_of_windows": function.repeat_share,
        },
        share=cost.share,
        ceiling_speedup=cost.ceiling_speedup,
        confidence="low" if function.self_by_identity else confidence_of(function.compared),
        remedy=f"call {name}() once and hand its answer on, or keep answers in functools.lru_cache or "
        "goldsplit.fast.cache.PhaseCache",
        verify=check_the_game(profile, function.stage),
        effort="hours",
        risk="a value kept too long plays a wrong game: the trajectory hash must stay the same",
    )


RULE = Rule("repeated-calls", check, needs_deep=True)
