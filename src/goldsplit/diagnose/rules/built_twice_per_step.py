"""The observation or the action mask is built twice in one environment step.

## What it sees

A function named like a builder of observations or masks (`get_obs`, `observe`, `action_masks`, ...) that
ran about twice or more per environment step. About every second call was for a state that it had seen
already: equal arguments, equal result.

## Why it is slow

The environment puts the mask into `info`, and then the policy asks `action_masks()` for the same state
again. Or the observation is built for the transition and once more for the next action. In board games
building it is often the most expensive part of a step.

## Example

```python
def step(self, action):  # slow: MaskablePPO asks action_masks() once more
    self.play(action)
    return self.observe(), reward, done, False, {"mask": self.action_masks()}


def step(self, action):  # fast: built once, where the state changes
    self.play(action)
    self.mask = self.build_mask()
    return self.observe(), reward, done, False, {"mask": self.mask}


def action_masks(self):
    return self.mask
```

## What to do

Build it once at the end of `step` and `reset`, store it, and return the stored one.

## When not

If the two calls are for two players or two states. Then their results differ, and this rule reports nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of_function
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import builds_observation_or_mask, confidence_of, verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import DeepFunction
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_CALLS_PER_STEP = 1.9
LEAST_COMPARED = 20
#: Of two calls per step one is a repeat; calls after resets are not.
LEAST_REPEATED = 0.35


def check(profile: Profile) -> Iterator[Finding]:
    """All builders that build twice."""
    for function in profile.deep.functions if profile.deep is not None else ():
        if not builds_twice(function):
            continue
        repeated = function.repeats / function.compared
        cost = cost_of_function(profile, function, repeated)
        if not cost.worth_mentioning:
            continue
        name = bare_name(function.place.function)
        yield Finding(
            code=RULE.code,
            title=f"{name}() runs {function.calls_per_env_step:.1f} times per env step with equal results: "
            f"{percent(cost.share)} of wall time",
            where=function.place,
            stage=function.stage,
            evidence={
                "calls_per_env_step": function.calls_per_env_step,
                "compared_calls": function.compared,
                "repeats_for_the_same_state": function.repeats,
                "results_that_differed": function.differing,
            },
            **cost.figures,
            confidence=confidence_of(function.compared),
            remedy=f"build it once at the end of step() and reset(), and let {name}() return the stored one",
            verify=verify_command(profile, function.stage),
            effort="minutes",
            risk="it must be built again wherever the state changes",
        )


def builds_twice(function: DeepFunction) -> bool:
    """Whether a builder ran twice per step for the same state."""
    return (
        builds_observation_or_mask(function)
        and function.compared >= LEAST_COMPARED
        and (function.calls_per_env_step or 0.0) >= LEAST_CALLS_PER_STEP
        and function.repeats >= LEAST_REPEATED * function.compared
        and function.differing == 0
    )


RULE = Rule("built-twice-per-step", check, needs_deep=True)
