"""There are far more workers than cores.

## What it sees
More than twice as many processes step environments as there are cores, their steps need the processor (they
do not wait for a server), messages take at least 15 % of the wall time, and the driver waits for a core or
nearly all cores are busy.

## Why it is slow
Only as many processes as cores can run. The others cost a message and two context switches per step, and
their memory; and the driver itself has to wait for a core between any two messages.

## Example
```python
# slow: 16 processes on two cores
envs = AsyncVectorEnv([make_env] * 16)

# fast: 16 environments in two processes
envs = SharedVectorEnv([make_env] * 16, workers=2)
```

## What to do
Keep the number of environments and lower the number of processes: several environments per worker, as many
workers as cores (`goldsplit.fast.vector.SharedVectorEnv`, or `SharedVecEnv` for Stable-Baselines3).

## When not
If environments wait for a server or an emulator, more workers than cores are right; then this rule reports
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, line_in, percent, record_again, row_of, share_of
from goldsplit.diagnose.workers import busy_cores, process_start_line, worker_lanes
from goldsplit.model.finding import WORTHWHILE_SHARE, Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ENV, ENV_STEP, VEC, VEC_SEND

LEAST_WORKERS_PER_CORE = 2.0
LEAST_MESSAGES_SHARE = 0.15
#: A worker's steps count as computing if they need the processor for at least this part of their time.
LEAST_CPU_OF_STEP = 0.3
LEAST_WAITED_FOR_CPU = 0.1
LEAST_BUSY_OF_CORES = 0.7


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    lanes, cores = worker_lanes(profile), profile.system.cores
    if cores < 1 or len(lanes) <= LEAST_WORKERS_PER_CORE * cores or not steps_compute(profile):
        return
    waited, busy = profile.trust.waited_for_cpu_share or 0.0, busy_cores(profile) or 0.0
    messages = share_of(profile, VEC)
    crowded = waited >= LEAST_WAITED_FOR_CPU or busy >= LEAST_BUSY_OF_CORES * cores
    if messages < LEAST_MESSAGES_SHARE or not crowded:
        return
    share = min(messages * (1.0 - cores / len(lanes)), beyond_computing(profile, messages))
    if share < WORTHWHILE_SHARE:
        return
    yield Finding(
        code=RULE.code,
        title=f"{len(lanes)} workers on {cores} cores: messages and switching take {percent(messages)}",
        where=process_start_line(profile) or line_in(profile, VEC),
        stage=VEC_SEND,
        evidence={
            "workers": len(lanes),
            "cores": cores,
            "busy_cores": busy,
            "communication_share": messages,
            "driver_ready_without_core_share": waited,
        },
        share=share,
        ceiling_speedup=1.0 / (1.0 - share),
        confidence="high" if waited >= LEAST_WAITED_FOR_CPU else "medium",
        remedy=(
            f"use {cores} workers with several environments each: "
            f"goldsplit.fast.vector.SharedVectorEnv(env_fns, workers={cores})"
        ),
        verify=record_again(profile),
        effort="minutes",
    )


def beyond_computing(profile: Profile, messages: float) -> float:
    """Share of the wall time for steps and messages, minus what the steps need on all cores together."""
    rows = [row for row in profile.stages if row.stage.startswith(ENV)]
    computing = sum(row.cpu_seconds or 0.0 for row in rows) / profile.system.cores
    waited = sum(row.waited_share for row in rows)
    return messages + waited - computing / max(1e-9, profile.phases.steady_seconds)


def steps_compute(profile: Profile) -> bool:
    """Whether environment steps need the processor, and do not wait for something else."""
    row = row_of(profile, ENV_STEP)
    if row is None or not row.thread_seconds or row.cpu_seconds is None:
        return False
    return row.cpu_seconds >= LEAST_CPU_OF_STEP * row.thread_seconds


RULE = Rule("too-many-workers", check, yields_to=("env-too-cheap-for-processes",))
