"""A function is called for many targets of one source, one call for each.

## What it sees

Calls of the deep look that, within one environment step, share one argument and differ in another: the
distance from one unit to each of the others, the visibility of all pairs, one search per pair. It reports
how many such calls there are for each value of the shared argument, and what all of them cost.

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

#: Calls for one value of the shared argument in one step; two may be an accident.
LEAST_GROUP = 2.5
#: Fewer values of the shared argument than this are not typical.
LEAST_GROUPS = 8
LEAST_SHARE = 0.05
#: The part of a function's cost that a constant answer inside it must explain.
MOST_EXPLAINED = 0.5


def check(profile: Profile) -> Iterator[Finding]:
    """All functions that are called once for each target."""
    deep = profile.deep
    for function in deep.functions if deep is not None else ():
        if deep is None or not is_asked_one_by_one(deep, function) or is_explained(profile, deep, function):
            continue
        cost = cost_of_function(profile, function, 1.0 - 1.0 / function.mean_group)
        if cost.share >= LEAST_SHARE:
            yield finding_of(profile, function, cost)


def is_asked_one_by_one(deep: DeepLook, function: DeepFunction) -> bool:
    """Whether calls share a source and differ in their targets, and no sharper rule is about them."""
    return (
        function.kind in ("function", "method")
        and function.shared_argument is not None
        and not (function.kind == "method" and function.shared_argument == 0)  # all calls share the object
        and function.compared >= ENOUGH_CALLS
        and function.groups >= LEAST_GROUPS
        and function.mean_group >= LEAST_GROUP
        and not is_called_for_its_effect(function)
        and not seems_constant(function)
        and not has_a_cache(deep, function)
    )


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


def finding_of(profile: Profile, function: DeepFunction, cost: Cost) -> Finding:
    name = bare_name(function.place.function)
    return Finding(
        code=RULE.code,
        title=f"{name}() is called {function.mean_group:.1f} times for each source, once per target: "
        f"{percent(cost.share)} of wall time",
        where=function.place,
        stage=function.stage,
        evidence={
            "shared_argument": function.shared_argument,
            "calls_per_source_and_step": function.mean_group,
            "sources_seen": function.groups,
            "compared_calls": function.compared,
            "results_that_differed": function.differing,
        }
        | ({"calls_per_env_step": function.calls_per_env_step} if function.calls_per_env_step else {}),
        **cost.figures,
        confidence=confidence_of(function.compared),
        remedy=f"compute one field for each source (all targets at once) and read what {name}() answers from "
        "it; goldsplit.fast.kernels has distance, path and sight fields",
        verify=verify_command(profile, function.stage),
        effort="hours",
        risk="a field must be computed again when what it depends on changes: compare trajectory hashes",
    )


RULE = Rule("one-to-many", check, needs_deep=True)
