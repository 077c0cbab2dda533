"""A function is called for many targets of one source, one call for each.

## What it sees

Calls of the deep look that, within one environment step, share one argument and differ in another: the
distance from one unit to each of the others, the visibility of all pairs, one search per pair. It reports
how many such calls there are for each value of the shared argument, and what all of them cost. What an
argument stands for is read in the function's source: two numbers that together are one place (`x, y`) are
one argument here, so a loop over all cells of a board is not reported. Where the source does not tell, the
confidence is low.

## Why it is slow

Most of the work of such calls is about the source, and is done again for each target. One breadth-first
search gives the distances to *all* cells for the price of one call. In a real project, one field per source
instead of a search per pair made the environment 1.6x faster, with an equal trajectory hash; a cache of
single answers gained nothing there, because no pair came twice.

## Example

```python
for enemy in self.enemies:  # slow: one search for each pair
    reach.append(self.path_length(unit.cell, enemy.cell))

field = self.path_lengths(unit.cell)  # fast: one search for all of them
reach = [field[enemy.cell] for enemy in self.enemies]
```

## What to do

Compute one field (a dict or an array over all targets) for each value of the shared argument, and read the
answers from it. `goldsplit.fast.kernels` has distance fields, path fields and lines of sight over whole
boards.

## When not

If a call stops early (a target next to the source), a whole field may cost more than the few short calls: the
ceiling says what is there to win at most. If the calls share nothing but the object itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.asked_pairs import LEAST_GROUP, Shared, shared_by_calls
from goldsplit.diagnose.deep_ceilings import Cost, cost_of_function
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import (
    ENOUGH_CALLS,
    confidence_of,
    has_a_cache,
    is_called_for_its_effect,
    verify_command,
)
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.diagnose.rules.constant_result import always_answers_the_same, seems_constant
from goldsplit.diagnose.savings import sampled_function
from goldsplit.model.deep import DeepFunction, DeepLook
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

#: Fewer values of the shared argument than this are not typical.
LEAST_GROUPS = 8
LEAST_SHARE = 0.05
#: The part of a function's cost that a constant answer inside it must explain.
MOST_EXPLAINED = 0.5
#: From this part of repeated calls on, keeping the answers is the sharper advice where it is not known that
#: there is a source.
MOSTLY_REPEATED = 0.5


def check(profile: Profile) -> Iterator[Finding]:
    """All functions that are called once for each target."""
    deep = profile.deep
    for function in deep.functions if deep is not None else ():
        if deep is None or not may_be_asked_one_by_one(deep, function):
            continue
        shared = shared_by_calls(profile, function)
        if shared is None or shared.sources < LEAST_GROUPS or shared.calls_per_source < LEAST_GROUP:
            continue
        if is_explained(profile, deep, function) or (not shared.certain and is_mostly_repeated(function)):
            continue
        cost = cost_of_function(profile, function, 1.0 - 1.0 / shared.most_per_source)
        if cost.share >= LEAST_SHARE:
            yield finding_of(profile, function, shared, cost)


def may_be_asked_one_by_one(deep: DeepLook, function: DeepFunction) -> bool:
    """Whether enough calls were compared, and no sharper rule is about them."""
    return (
        function.kind in ("function", "method")
        and function.compared >= ENOUGH_CALLS
        and not is_called_for_its_effect(function)
        and not seems_constant(function)
        and not has_a_cache(deep, function)
    )


def is_mostly_repeated(function: DeepFunction) -> bool:
    """Whether most calls ask what was asked before, and get the same answer."""
    return function.differing == 0 and function.repeats >= MOSTLY_REPEATED * function.compared


def is_explained(profile: Profile, deep: DeepLook, function: DeepFunction) -> bool:
    """Whether most of its cost is inside a function that always answers the same, or most of its calls come
    from one: to answer that first is less work than a field, and what is left may not be worth one."""
    own = sampled_function(profile, function.place)
    if own is None:
        return False
    constant = (
        sampled_function(profile, one.place) for one in deep.functions if always_answers_the_same(one)
    )
    return any(
        max(one.within.get(own.key, 0.0), own.within.get(one.key, 0.0)) >= MOST_EXPLAINED * own.share
        for one in constant
        if one is not None
    )


def finding_of(profile: Profile, function: DeepFunction, shared: Shared, cost: Cost) -> Finding:
    name = bare_name(function.place.function)
    often = f"{name}() is called {shared.calls_per_source:.1f} times for each"
    fields = "goldsplit.fast.kernels has distance, path and sight fields"
    if shared.certain:
        title = f"{often} source, once per target"
        remedy = (
            "compute one field for each source (all targets at once) and read what "
            f"{name}() answers from it; {fields}"
        )
    else:
        title = f"{often} value of {shared.name} in a step"
        remedy = (
            f"see what {shared.name} stands for: if it is one thing that is asked about against many others, "
            f"compute one field for each of its values ({fields}); if it is a part of a place, leave it"
        )
    return Finding(
        code=RULE.code,
        title=f"{title}: {percent(cost.share)} of wall time",
        where=function.place,
        stage=function.stage,
        evidence={
            "shared_argument": shared.name,
            "different_calls_seen": shared.calls,
            "values_seen": shared.sources,
            "calls_per_value_and_step": shared.calls_per_source,
            "compared_calls": function.compared,
            "results_that_differed": function.differing,
        }
        | ({"calls_per_env_step": function.calls_per_env_step} if function.calls_per_env_step else {}),
        **cost.figures,
        confidence=confidence_of(function.compared) if shared.certain else "low",
        remedy=remedy,
        verify=verify_command(profile, function.stage),
        effort="hours",
        risk="a field must be computed again when what it depends on changes: compare trajectory hashes",
    )


RULE = Rule("one-to-many", check, needs_deep=True)
