"""Several gradient updates per environment step take most of the run's time.

## What it sees

At least 1.5 updates per env step (both are counted), and at least half of the wall time in learning and
replay sampling.

## Why it is slow

Each update costs the same whether the agent has seen anything new or not. At four updates per step the run
would hardly be faster even if the game cost nothing: the number of updates decides. Few algorithms need so
many; DQN was published with one update per four steps, PPO does about one per six.

## Example

```python
for _ in range(8):  # slow: eight updates for each new transition
    optimize_model()

if step % 4 == 0:  # fast: one update for four new transitions
    optimize_model()
```

## What to do

Update less often, or with a larger batch less often. Judge it by reward over *wall time*, not over steps:
`goldsplit whatif RUN --updates-per-step 0.25` says beforehand what the speed would be.

## When not

If env steps are expensive (a real robot, a slow simulator), many updates per step learn more from each step
(REDQ, DroQ). Then keep them, and make each one cheaper.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.rule import Rule, fact_place, line_in, percent, record_again, share_of
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import LEARN, LEARN_LOSS, REPLAY_SAMPLE, REPLAY_UPDATE, TRANSFER

LEAST_RATIO = 1.5
LEAST_SHARE = 0.5
#: The ceiling is computed for this ratio, which DQN uses.
USUAL_RATIO = 0.25
_LEARNING = (LEARN, REPLAY_SAMPLE, REPLAY_UPDATE, TRANSFER)


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding."""
    ratio = profile.throughput.updates_per_env_step
    learning = share_of(profile, *_LEARNING)
    if ratio is None or ratio < LEAST_RATIO or learning < LEAST_SHARE:
        return
    kept = USUAL_RATIO / ratio
    stages = {row.stage: kept for row in profile.stages if row.stage.startswith(_LEARNING)}
    yield Finding(
        code=RULE.code,
        title=f"{ratio:.1f} updates per env step take {percent(learning)} of wall time",
        where=fact_place(profile, FactKind.UPDATE) or line_in(profile, LEARN),
        stage=LEARN_LOSS,
        evidence={"updates_per_env_step": ratio, "learning_share": learning},
        share=learning * (1.0 - kept),
        ceiling_speedup=speedup_if(profile, stages),
        confidence="medium",
        remedy=f"update less often: the ceiling is for {USUAL_RATIO:g} updates per env step, DQN's ratio; "
        "judge by reward over wall time",
        verify=record_again(profile),
        effort="minutes",
        risk="fewer updates per step learn less from each step",
    )


RULE = Rule("updates-dominate", check, yields_to=("tiny-batches",))
