"""Environments are stepped one after another while cores are idle.

## What it sees
At least 60 % of the driver's own wall time is in environment stages, no other process steps environments,
and the run leaves most of a core or more idle. A step must be so expensive that a worker process saves time:
0.4 ms if several environments are stepped in turn, 1 ms if there is only one. An environment that steps many
games in one call (arrays) is not reported.

## Why it is slow
Python runs on one core. While one environment computes, the others wait for their turn, and the other cores
are idle.

## Example
```python
# slow: four environments, one core
envs = SyncVectorEnv([make_env] * 4)

# fast: as many workers as cores, results in shared memory
envs = SharedVectorEnv([make_env] * 4)
```

## What to do
First look at the function that is named: it takes most of the step, and making it cheaper needs no
processes. Then step several environments at once, with `goldsplit.fast.vector.SharedVectorEnv` (or
`SharedVecEnv` of `goldsplit.fast.vector.sb3`). The ceiling is for all idle cores in use.

## When not
If other programs need the other cores, or the environments share state that processes cannot share. If you
have one environment and add more, the algorithm sees other data per update: check learning as well as speed.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.rule import ANY, Rule, line_in, percent, record_again, row_of, saved_if
from goldsplit.diagnose.workers import environments_per_turn, idle_cores, steady_steps, worker_lanes
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ENV, ENV_STEP

LEAST_SHARE = 0.6
LEAST_IDLE_CORES = 0.7
#: A worker's message costs 0.1 to 0.2 ms: a step must be far more expensive than that.
LEAST_STEP_US = 1000.0
LEAST_STEP_US_OF_SEVERAL = 400.0
#: A driver that waits this much for a core shares the machine with other programs: no core is really idle.
MOST_WAITED_FOR_CPU = 0.15


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    rows = [row for row in profile.stages if row.stage.startswith(ENV)]
    share = sum(row.wall_share - row.waited_share for row in rows)
    step, steps = row_of(profile, ENV_STEP), steady_steps(profile)
    idle = idle_cores(profile)
    if share < LEAST_SHARE or worker_lanes(profile) or idle < LEAST_IDLE_CORES:
        return
    if step is None or not step.calls or step.mean_us is None or not steps:
        return
    if (profile.trust.waited_for_cpu_share or 0.0) > MOST_WAITED_FOR_CPU or steps > 1.5 * step.calls:
        return
    envs = environments_per_turn(profile)
    if step.mean_us < (LEAST_STEP_US_OF_SEVERAL if envs >= 2 else LEAST_STEP_US):
        return
    workers = min(profile.system.cores, 1 + round(idle))
    kept = {row.stage: 1.0 / workers for row in rows}
    yield Finding(
        code=RULE.code,
        title=f"environments take {percent(share)} of the time, one after another, "
        f"while {idle:.1f} cores are idle",
        where=line_in(profile, ENV),
        stage=ENV_STEP,
        evidence={
            "environment_share": share,
            "env_step_us": step.mean_us,
            "environments_in_turn": envs,
            "idle_cores": idle,
            "cores": profile.system.cores,
        },
        share=share * (1.0 - 1.0 / workers),
        ceiling_speedup=speedup_if(profile, kept),
        saves=saved_if(profile, kept),
        confidence="high" if envs >= workers else "medium",
        remedy=(
            "make the named function cheaper; then step environments in several processes: "
            "goldsplit.fast.vector.SharedVectorEnv instead of the vector environment"
        ),
        verify=record_again(profile),
        risk=""
        if envs >= workers
        else "more environments per update change what is learned: check the returns too",
    )


RULE = Rule("environment-bound", check, yields_to=(ANY,))
