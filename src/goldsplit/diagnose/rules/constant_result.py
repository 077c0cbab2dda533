"""A check gives the same answer in every call.

## What it sees

A function that was called with many different arguments, several times per environment step, and returned
the same value each time; and what all those calls cost. Functions that return nothing are left out, and so
are checks that are made about once per step ("is the game over?" is rarely true).

## Why it is slow

The answer could be known without the call. The typical case: line of sight on a board without any obstacle,
walked cell by cell for every pair of units. In a real project, removing such a check made the run 1.8-2.6x
faster, with an identical trajectory; it was two lines, and it was found only after weeks of work elsewhere.

## Example

```python
def has_line_of_sight(self, a, b):  # slow: walks the line although nothing blocks
    return not any(cell in self.opaque for cell in line(a, b))


def has_line_of_sight(self, a, b):  # fast
    if not self.opaque:
        return True
    return not any(cell in self.opaque for cell in line(a, b))
```

## What to do

Find out why it is constant. If that can be seen cheaply (an empty set, a switched-off rule), test for it
first. If it follows from the game's rules, remove the check. Compare `goldsplit env TARGET --hash` before
and after.

## When not

If the check matters on other maps, against other opponents or in other phases: then add the cheap test, but
keep the check. A window sees a small part of the run: "always" means "in every call that was compared".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of_function
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import confidence_of, is_called_for_its_effect, target_of, verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import DeepFunction
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

#: Fewer answers than this may be equal by chance. After so many equal ones at most 3 % of all calls answer
#: otherwise (the rule of three, 95 %); what it is after those that were seen is in the evidence.
LEAST_COMPARED = 100
#: From this many on it is taken for constant by the rules on repeated calls, which then say nothing of it.
LEAST_TO_SUSPECT = 30
LEAST_DISTINCT_ARGUMENTS = 10
#: A check that is made about once per step may be for a rare event, such as the end of the game.
LEAST_CALLS_PER_STEP = 2.0
#: A plain answer: a truth value, a number, nothing found. Not an object that happens to be shared.
_PLAIN_ANSWER = re.compile(r"True|False|-?\d+(\.\d*)?(e[+-]?\d+)?|\[\]|\(\)|\{\}|set\(\)|frozenset\(\)|''")


def check(profile: Profile) -> Iterator[Finding]:
    """All functions that always return the same."""
    for function in profile.deep.functions if profile.deep is not None else ():
        if not always_answers_the_same(function):
            continue
        cost = cost_of_function(profile, function)
        if not cost.worth_mentioning:
            continue
        name = bare_name(function.place.function)
        yield Finding(
            code=RULE.code,
            title=f"{name}() answered {function.constant_result} in all {function.compared:,} compared "
            f"calls: {percent(cost.share)} of wall time",
            where=function.place,
            stage=function.stage,
            evidence={
                "answer": function.constant_result,
                "compared_calls": function.compared,
                "other_answers_at_most_share": 3.0 / function.compared,
                "distinct_arguments": function.distinct_arguments,
                "distinct_results": function.distinct_results,
                "calls_per_env_step": function.calls_per_env_step,
            },
            **cost.figures,
            confidence=confidence_of(function.compared),
            remedy=f"find out why {name}() always answers the same (an empty set? a rule that is off?) and "
            "test for that first, once, outside of the loop",
            verify=verify_command(profile, function.stage),
            effort="minutes",
            risk="on other maps the answer may vary: keep the check behind the cheap test",
            overlays=(f"constant:{target_of(profile, function.place)}",),
        )


def always_answers_the_same(function: DeepFunction) -> bool:
    """Whether enough calls with different arguments gave one plain answer."""
    has_steps = function.calls_per_env_step is not None
    return function.compared >= LEAST_COMPARED and has_steps and seems_constant(function)


def seems_constant(function: DeepFunction) -> bool:
    """The same on fewer calls, or on too few steps to know how often it is called: enough to leave it to this
    rule, which may need a longer recording."""
    per_step = function.calls_per_env_step
    return (
        function.kind in ("function", "method")
        and function.compared >= LEAST_TO_SUSPECT
        and function.distinct_arguments >= LEAST_DISTINCT_ARGUMENTS
        and function.distinct_results == 1
        and function.constant_result is not None
        and _PLAIN_ANSWER.fullmatch(function.constant_result) is not None
        and (per_step is None or per_step >= LEAST_CALLS_PER_STEP)
        and not is_called_for_its_effect(function)
    )


RULE = Rule("constant-result", check, needs_deep=True)
