"""The training stands still for evaluations, or for saving, for a large part of its time.

## What it sees

The stages `eval` and `checkpoint`: each that takes at least 5 % of the wall time and was seen at least twice.
A recording that is cut off after one evaluation says nothing about how often there is one.

## Why it is slow

An evaluation plays whole episodes, usually in one environment and in the trainer, and nothing is learnt from
them. The better the agent, the longer its episodes may last. A checkpoint that has the replay memory in it
writes gigabytes each time.

## Example

```python
# slow: 10 episodes after every 500 steps
if step % 500 == 0:
    evaluate(agent, episodes=10)

# fast: what the curve needs
if step % 20_000 == 0:
    evaluate(agent, episodes=10)
```

## What to do

Evaluate and save more rarely, with fewer episodes, or in a process of its own from saved models. Save the
replay memory only at the end. What episodes of the training return tells the progress, too.

## When not

Where the training needs the result: to choose the best model, to stop early, to change the opponent. A short
trial evaluates more often, for its length, than the long training that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, ceiling, function_in, percent, record_again, row_of
from goldsplit.diagnose.workers import measured
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import CHECKPOINT, EVAL

LEAST_SHARE = 0.05
LEAST_CALLS = 2
#: Stage → what is done there, what to do more rarely, and the overlay that leaves it out.
_PAUSES = {
    EVAL: ("evaluation", "evaluate", "no-eval"),
    CHECKPOINT: ("saving", "save", "no-checkpoint"),
}


def check(profile: Profile) -> Iterable[Finding]:
    """One finding for each of the two stages at most."""
    for stage, (what, verb, overlay) in _PAUSES.items():
        row = row_of(profile, stage)
        if row is None or row.wall_share < LEAST_SHARE or (row.calls or 0) < LEAST_CALLS:
            continue
        share, speedup = ceiling(profile, stage, saved=1.0)
        yield Finding(
            code=RULE.code,
            title=f"{what} takes {percent(row.wall_share)} of the time, in {row.calls} calls",
            where=function_in(profile, stage),
            stage=stage,
            evidence=measured(calls=row.calls, us_per_call=row.mean_us, us_per_env_step=row.us_per_env_step),
            share=share,
            ceiling_speedup=speedup,
            confidence="medium",
            remedy=f"{verb} more rarely, or in a process of its own",
            verify=record_again(profile),
            effort="minutes",
            risk="a best model is chosen among fewer"
            if stage == EVAL
            else "more is lost if the training breaks off",
            overlays=(overlay,),
        )


RULE = Rule("frequent-evaluation", check)
