"""Observations or action masks are built more often than environment steps need them.

## What it sees

Counts alone: how often the observation (or the mask) was built, and how many steps and resets there were.
One for each step and each reset is needed; all others are thrown away, whatever they contain. Only builders
that take no argument count: one that builds a view for each player is called once for each of them.

## Why it is slow

Building an observation is often the most expensive part of a step. Each half of a turn that ends in
`return self.observe()` builds one, and only the last of them is read. In a real project 2.3 observations
were built for each step, and 57 % of that work was thrown away.

## Example

```python
def step(self, action):
    self.play(action)  # slow: play() and enemy_turn() each return self.observe()
    return self.enemy_turn(), self.reward(), self.done(), {}


def step(self, action):
    self.play(action)  # fast: they return nothing, step() builds one
    self.enemy_turn()
    return self.observe(), self.reward(), self.done(), {}
```

## What to do

Build it once, at the end of `step` and `reset`. Code in between should read the state itself, not the
observation.

## When not

If the parts between read the observation on purpose (an opponent that acts by the same network).
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.rule import Rule, ceiling, percent, record_again, row_of
from goldsplit.model.finding import Finding
from goldsplit.model.hot_code.function_cost import FunctionCost
from goldsplit.model.profile import Profile, StageRow
from goldsplit.model.stage import ENV_MASK, ENV_OBSERVE, ENV_RESET, ENV_STEP
from goldsplit.model.usual_names import stage_of_function

#: Built for each step and reset; less may be wrappers that ask once more now and then.
LEAST_BUILT = 1.4
LEAST_STEPS = 100
#: One function must be nearly all of the stage: two that build one part each are called twice rightly.
LEAST_OF_STAGE = 0.8
LEAST_SHARE = 0.02


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding each for observations and masks."""
    step, reset = row_of(profile, ENV_STEP), row_of(profile, ENV_RESET)
    if step is None or not step.calls or step.calls < LEAST_STEPS:
        return
    # One call may step many boards: what counts is how many steps there were.
    steps = max(step.calls, profile.throughput.env_steps or 0)
    resets = max(reset.calls or 0 if reset is not None else 0, profile.throughput.episodes or 0)
    needed = steps + resets
    for stage in (ENV_OBSERVE, ENV_MASK):
        row = row_of(profile, stage)
        builder = only_builder(profile, row) if row is not None and row.source == "span" else None
        if row is None or builder is None or not row.calls or row.calls < LEAST_BUILT * needed:
            continue
        share, speedup = ceiling(profile, stage, 1.0 - needed / row.calls)
        if share >= LEAST_SHARE:
            yield finding_of(profile, builder, row, (needed, share, speedup))


def finding_of(
    profile: Profile, builder: FunctionCost, row: StageRow, figures: tuple[int, float, float | None]
) -> Finding:
    needed, share, speedup = figures
    name, calls = bare_name(builder.place.function), row.calls or 0
    return Finding(
        code=RULE.code,
        title=f"{name}() builds {calls / needed:.1f} for each step that needs one: "
        f"{percent(share)} of wall time is thrown away",
        where=builder.place,
        stage=row.stage,
        evidence={
            "built": calls,
            "steps_and_resets": needed,
            "thrown_away_share_of_builds": 1.0 - needed / calls,
            "us_per_build": row.mean_us or 0.0,
        },
        share=share,
        ceiling_speedup=speedup,
        confidence="high",
        remedy=f"call {name}() once, at the end of step() and reset(); the parts of a turn return nothing",
        verify=record_again(profile),
        effort="minutes",
        risk="code between that reads the observation must read the state instead",
    )


def only_builder(profile: Profile, row: StageRow) -> FunctionCost | None:
    """The function that is this stage, if it is one, and takes no argument; None: several, or not known."""
    named = [
        one
        for one in profile.functions
        if stage_of_function(one.place.function) == row.stage
        and one.stages.get(row.stage, 0.0) >= LEAST_OF_STAGE * row.wall_share
    ]
    free = [one for one in named if profile.source.arguments.get(one.key) == 0]
    return max(free, key=lambda one: one.share) if free and len(free) == len(named) else None


RULE = Rule("built-and-thrown-away", check, yields_to=("built-twice-per-step",))
