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
from goldsplit.diagnose.rule import (
    Rule,
    fact_place,
    line_in,
    percent,
    record_again,
    row_of,
    saved_if,
    share_of,
)
from goldsplit.diagnose.workers import environments_per_turn
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import LEARN, LEARN_LOSS, LEARN_OPTIMIZER, REPLAY_SAMPLE, REPLAY_UPDATE, TRANSFER

LEAST_RATIO = 1.5
#: Updates for one step of all environments.
LEAST_PER_TURN = 8.0
LEAST_SHARE = 0.5
#: The ceiling is computed for this ratio, which DQN uses.
USUAL_RATIO = 0.25
_LEARNING = (LEARN, REPLAY_SAMPLE, REPLAY_UPDATE, TRANSFER)


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding."""
    ratio = profile.throughput.updates_per_env_step
    learning = share_of(profile, *_LEARNING)
    if ratio is None or learning < LEAST_SHARE:
        return
    envs = environments_per_turn(profile)
    per_turn = ratio * envs
    many_per_turn = envs > 1 and per_turn >= LEAST_PER_TURN and replays(profile)
    if ratio < LEAST_RATIO and not many_per_turn:
        return
    kept = USUAL_RATIO / ratio if ratio >= LEAST_RATIO else 1.0 / per_turn
    often = f"{ratio:.1f} updates per env step"
    if ratio < LEAST_RATIO:
        often = f"{per_turn:.0f} updates for each step of {envs} environments"
    stages = {row.stage: kept for row in profile.stages if row.stage.startswith(_LEARNING)}
    yield Finding(
        code=RULE.code,
        title=f"{often} take {percent(learning)} of wall time",
        where=fact_place(profile, FactKind.UPDATE) or line_in(profile, LEARN),
        stage=LEARN_LOSS,
        evidence={"updates_per_env_step": ratio, "learning_share": learning}
        | ({"updates_per_vector_step": per_turn, "environments": envs} if envs > 1 else {}),
        share=learning * (1.0 - kept),
        ceiling_speedup=speedup_if(profile, stages),
        saves=saved_if(profile, stages),
        confidence="medium",
        remedy=f"update less often: the ceiling is for {USUAL_RATIO:g} updates per env step, DQN's ratio; "
        "judge by reward over wall time"
        if ratio >= LEAST_RATIO
        else "update less often, on larger batches: the ceiling is for one update per vector step; judge by "
        "reward over wall time",
        verify=record_again(profile),
        effort="minutes",
        risk="fewer updates per step learn less from each step",
        # Where updates are in the lines of a script, there is no function to leave out but the optimizer's.
        overlays=tuple(f"every:{round(1.0 / kept)}:{stage}" for stage in (LEARN_LOSS, LEARN_OPTIMIZER)),
    )


def replays(profile: Profile) -> bool:
    """Whether updates draw from a replay memory; on-policy updates belong to their rollout."""
    return row_of(profile, REPLAY_SAMPLE) is not None


RULE = Rule("updates-dominate", check, yields_to=("tiny-batches",))
