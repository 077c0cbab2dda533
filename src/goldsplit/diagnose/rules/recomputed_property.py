"""A property is computed at each access, although nothing has changed.

## What it sees

A `property` that was computed several times per environment step for the same object in the same state, with
an equal result every time, and what those repeats cost.

## Why it is slow

`unit.cell` and `unit.targets` look like attributes, so they are used like attributes: in conditions, in
sort keys, in loops. In a real project one property that built a location object was read 26 times per step.

## Example

```python
class Unit:
    @property  # slow: a search at each access
    def reach(self):
        return breadth_first(self.board, self.cell, self.speed)


class Unit:
    def move_to(self, cell):  # fast: computed when what it depends on changes
        self.cell = cell
        self.reach = breadth_first(self.board, cell, self.speed)
```

## What to do

Read it once into a local variable before a loop. If the object never changes, use
`functools.cached_property`; if it does, set the value in the code that changes it.

## When not

If the value depends on other objects that may change. The rule requires equal results on every repeat, but a
window is short; compare `goldsplit env TARGET --hash` before and after.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import call_us, cost_of_function, repeated_part
from goldsplit.diagnose.deep_reading import ENOUGH_CALLS, confidence_of, verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import DeepFunction
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_REPEATED = 0.3
LEAST_CALLS_PER_STEP = 2.0


def check(profile: Profile) -> Iterator[Finding]:
    """All properties that waste time on repeats."""
    deep = profile.deep
    for function in deep.functions if deep is not None else ():
        if deep is None or not is_recomputed(function):
            continue
        cost = cost_of_function(profile, function, repeated_part(function))
        if not cost.worth_mentioning:
            continue
        often = (
            f"{function.calls_per_env_step:,.0f} times per env step" if function.calls_per_env_step else ""
        )
        yield Finding(
            code=RULE.code,
            title=f"property {function.place.function} is computed {often} with equal results: "
            f"{percent(cost.share)} of wall time",
            where=function.place,
            stage=function.stage,
            evidence={
                "calls_per_env_step": function.calls_per_env_step,
                "compared_calls": function.compared,
                "repeats": function.repeats,
                "repeats_in_the_same_step": function.repeats_in_step,
                "results_that_differed": function.differing,
                "call_us": round(call_us(deep, function), 2),
            },
            **cost.figures,
            confidence=confidence_of(function.compared),
            remedy="read it once into a local variable, make it a functools.cached_property, or set it where "
            "what it depends on changes",
            verify=verify_command(profile, function.stage),
            effort="minutes",
            risk="a cached value must be set again when what it depends on changes",
        )


def is_recomputed(function: DeepFunction) -> bool:
    """Whether a property was computed several times per step, and repeats always gave an equal result."""
    return (
        function.kind == "property"
        and function.compared >= ENOUGH_CALLS
        and function.differing == 0
        and function.repeats >= LEAST_REPEATED * function.compared
        and (function.calls_per_env_step or 0.0) >= LEAST_CALLS_PER_STEP
    )


RULE = Rule("recomputed-property", check, needs_deep=True)
