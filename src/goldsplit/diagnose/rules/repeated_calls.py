"""A function is called again and again with equal arguments, and returns the same every time.

## What it sees

In the windows of a deep look the arguments and the result of the hottest functions of your own code are
compared by value. This rule adds up the cost of *repeated* calls: calls with the arguments of an earlier
call of the same window. It reports them only if every repeat gave an equal result, if no call changed its
arguments, and if a call takes long enough that a kept answer can be cheaper. Findings are ranked by the cost
of repeats, never by their number. The ceiling is that of repeats that cost nothing.

## Why it is slow

The answer was known already. In turn-based games most questions (who can see whom, what is in reach) come
many times between two changes of the board.

## Example

```python
for unit in self.units:  # slow: the same path field for each target
    for enemy in self.enemies:
        if self.path_field(unit.cell)[enemy.cell] < 6:
            ...

for unit in self.units:  # fast: computed once per unit
    field = self.path_field(unit.cell)
    for enemy in self.enemies:
        if field[enemy.cell] < 6:
            ...
```

## What to do

Best: call it once and pass the result on; where each step asks the same again (the neighbours of a cell),
compute all answers once. If that is difficult, keep results in `functools.lru_cache` (pure
functions of hashable arguments) or in `goldsplit.fast.cache.PhaseCache`, which drops exactly the values that
a change of the game makes invalid. Then check that the game still plays the same: `goldsplit env TARGET
--hash` before and after.

## When not

If the result depends on anything that is not an argument (the clock, a random generator, a file). A function
is left out if the result of a repeat differed, but a window is short: a rare difference may have been missed.
Verify with the hash, or with `PhaseCache(verify=1.0)`. The number of repeats alone says nothing: in one
project 64 % of the calls of a function were repeats, and caching them gained nothing measurable.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import call_us, cost_of_function, repeated_part, sampled_call_us
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import (
    ENOUGH_CALLS,
    builds_observation_or_mask,
    confidence_of,
    has_a_cache,
    is_called_for_its_effect,
    runs_the_loop,
    target_of,
    verify_command,
)
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.diagnose.rules.constant_result import seems_constant
from goldsplit.model.deep import DeepFunction, DeepLook
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

#: Calls that take less than this, in microseconds, are left alone: to find a kept answer takes as long.
LEAST_CALL_US = 1.0
#: Part of the compared calls that must be repeats.
LEAST_REPEATED = 0.2
#: With this part of its repeats in the same step an answer need not be kept for longer.
OF_THE_STEP = 0.2
#: More findings than this would be the same few repeats again, seen in their callers and callees.
MOST_FINDINGS = 3


def check(profile: Profile) -> Iterator[Finding]:
    """The functions with the most expensive repeats."""
    deep = profile.deep
    if deep is None:
        return
    wasted = [function for function in deep.functions if is_wasted(deep, function)]
    found = [finding_of(profile, deep, one) for one in wasted if not runs_the_loop(profile, one)]
    worth = sorted((finding for finding in found if finding), key=lambda finding: -(finding.share or 0.0))
    yield from worth[:MOST_FINDINGS]


def is_wasted(deep: DeepLook, function: DeepFunction) -> bool:
    """Whether a function has many repeats with equal results, and no other rule is about them."""
    return (
        function.kind in ("function", "method")
        and function.compared >= ENOUGH_CALLS
        and function.repeats >= LEAST_REPEATED * function.compared
        and function.differing == 0
        and function.mutates == 0
        and not is_called_for_its_effect(function)
        and not builds_observation_or_mask(function)
        and not seems_constant(function)
        and not has_a_cache(deep, function)
    )


def finding_of(profile: Profile, deep: DeepLook, function: DeepFunction) -> Finding | None:
    """The finding on one function, if a cache would save time."""
    one_us = sampled_call_us(profile, function) or call_us(deep, function)
    cost = cost_of_function(profile, function, repeated_part(function))
    if one_us < LEAST_CALL_US or not cost.worth_mentioning:
        return None
    name, repeated = bare_name(function.place.function), function.repeats / function.compared
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
        **cost.figures,
        confidence="low" if function.self_by_identity else confidence_of(function.compared),
        remedy=remedy_for(name, function),
        verify=verify_command(profile, function.stage),
        effort="hours",
        risk="a value that is kept too long makes the game wrong: the trajectory hash must stay the same",
        overlays=(f"memo:{target_of(profile, function.place)}@{kept_for(function)}",)
        if may_be_kept(function)
        else (),
    )


def kept_for(function: DeepFunction) -> str:
    """For how long an answer must be kept to be of use: most questions come again in the same step, or not
    before a later one."""
    return "step" if function.repeats_in_step >= OF_THE_STEP * function.repeats else "run"


def may_be_kept(function: DeepFunction) -> bool:
    """Whether the overlay can keep answers: it compares arguments by value, also those that can be no keys of
    a dict; an object that is too large for that may have changed between two calls."""
    return not function.impure and not function.self_by_identity


def remedy_for(name: str, function: DeepFunction) -> str:
    """What was seen decides: `lru_cache` fails for a list, and keeps too long what an object changes."""
    once = f"call {name}() once and pass its result on"
    if function.repeats and kept_for(function) == "run":
        once = f"compute the answers of {name}() once, as a table: each step asks the same again"
    if function.hashable is False:
        return (
            f"{once}; its arguments cannot be keys of a cache (lists, dicts, arrays): key it by what "
            "identifies them, such as a cell, an id, or a version number that is raised where they change "
            "(goldsplit.fast.cache.PhaseCache)"
        )
    if function.kind == "method" or function.impure:
        return (
            f"{once}, or keep results in goldsplit.fast.cache.PhaseCache, dropped when the object changes; "
            "functools.lru_cache would keep them beyond that"
        )
    return f"{once}, or keep results in functools.lru_cache or goldsplit.fast.cache.PhaseCache"


RULE = Rule("repeated-calls", check, needs_deep=True)
