"""A step costs less than the message that asks for it.

## What it sees
Worker processes step environments and answer each step with a message. A step needs at most 150 us of
processor time, and stepping all environments one after another in the training process would make the whole
run at least 1.3 times faster: the time for messages and waiting would be saved, the workers' processor time
for their steps would be added.

## Why it is slow
A message to another process and back costs a hundred microseconds or more: pickling, two system calls,
waking the worker, waking the trainer. Parallel work must save more than this.

## Example
```python
# slow: eight processes for steps of 20 us
envs = AsyncVectorEnv([make_cartpole] * 8)

# fast: no processes
envs = SyncVectorEnv([make_cartpole] * 8)
```

## What to do
Step in the training process: `SyncVectorEnv`, SB3's `DummyVecEnv`, or
`goldsplit.fast.vector.SharedVectorEnv`, which measures and chooses. Better still, write the environment
over arrays, all games at once.

## When not
If the environment leaks memory or crashes, processes isolate it. If a step mostly waits (for a game server,
an emulator), processes wait side by side, but steps in one process wait one after another: then the rule
reports nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from goldsplit.diagnose.rule import Rule, line_in, record_again, row_of, share_of
from goldsplit.diagnose.workers import (
    busy_cores,
    process_start_line,
    shared_vector,
    worker_answers,
    worker_lanes,
)
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ENV, ENV_STEP, VEC, VEC_WAIT

MOST_STEP_US = 150.0
#: A worker that needs a core for less than this part of its steps mostly waits in them.
MOSTLY_WAITING = 0.5
LEAST_SPEEDUP = 1.3


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    step_us, rate = cpu_us_per_step(profile), profile.throughput.env_steps_per_second
    if not worker_lanes(profile) or worker_answers(profile) is None or step_us is None or not rate:
        return
    if waits_us_per_step(profile) > MOST_STEP_US:
        return
    messages = share_of(profile, VEC)
    waited = sum(row.waited_share for row in profile.stages if row.stage.startswith(ENV))
    in_process = step_us * rate / 1e6
    left = 1.0 - messages - waited + in_process
    if step_us > MOST_STEP_US or left <= 0.0 or 1.0 / left < LEAST_SPEEDUP:
        return
    message_us = messages * 1e6 / rate
    crowded = min(driver_held_up(profile), 0.9 * left)
    yield Finding(
        code=RULE.code,
        title=f"a step needs {step_us:.0f} us, its messages take {message_us:.0f} us: processes cost more "
        "than they save",
        where=process_start_line(profile) or line_in(profile, VEC),
        stage=VEC_WAIT,
        evidence={
            "env_step_cpu_us": step_us,
            "messages_us_per_env_step": message_us,
            "communication_share": messages,
            "workers": len(worker_lanes(profile)),
            "steps_in_process_would_take_share": in_process,
        },
        share=1.0 - left,
        ceiling_speedup=1.0 / left,
        saves=saves_of(profile, in_process),
        share_low=1.0 - left,
        share_high=1.0 - left + crowded,
        confidence="high" if 1.0 / left > 1.6 else "medium",
        remedy="step in the training process: SyncVectorEnv, DummyVecEnv, or "
        f"{shared_vector(profile)}, which measures and chooses",
        overlays=("fast:vector",),
        verify=record_again(profile),
        effort="minutes",
    )


def driver_held_up(profile: Profile) -> float:
    """The driver's waiting for a core, as far as this run's own processes take the cores."""
    taken = min(1.0, (busy_cores(profile) or 0.0) / max(1, profile.system.cores))
    return taken * (profile.trust.waited_for_cpu_share or 0.0)


def saves_of(profile: Profile, in_process: float) -> dict[str, float]:
    """Stage → what is saved in it. The steps move into the driver, in the place of its waiting for them; what
    they take beyond that is paid with the messages that are no longer sent."""
    messages = {row.stage: row.wall_share for row in profile.stages if row.stage.startswith(VEC)}
    waits = {row.stage: row.waited_share for row in profile.stages if row.stage.startswith(ENV)}
    waited, sent = sum(waits.values()), sum(messages.values())
    from_waits = max(0.0, waited - in_process) / waited if waited > 0.0 else 0.0
    from_messages = min(1.0, (sent + min(0.0, waited - in_process)) / sent) if sent > 0.0 else 0.0
    saved = {stage: share * from_messages for stage, share in messages.items()}
    saved |= {stage: share * from_waits for stage, share in waits.items()}
    return {stage: share for stage, share in saved.items() if share > 0.0}


def cpu_us_per_step(profile: Profile) -> float | None:
    """What one environment step with all its parts costs if it has a core for itself; None: not measured.

    Its processor time; or its fast steps where that is less: on crowded cores processor time grows as well.
    """
    step = row_of(profile, ENV_STEP)
    rows = [row for row in profile.stages if row.stage.startswith(ENV) and row.cpu_seconds is not None]
    if step is None or not step.calls or not rows:
        return None
    cpu_us = 1e6 * sum(row.cpu_seconds or 0.0 for row in rows) / step.calls
    workers = profile.structure.workers if profile.structure is not None else []
    fast = [
        sorted(worker.step_us)[len(worker.step_us) // 4] for worker in workers if len(worker.step_us) >= 8
    ]
    return min([cpu_us, *fast])


def waits_us_per_step(profile: Profile) -> float:
    """How long a worker's typical step waits for something other than a core; 0 if that is not known."""
    workers = profile.structure.workers if profile.structure is not None else []
    waits = [
        median(worker.step_us) * (1.0 - worker.cpu_share) * (1.0 - (worker.delayed_share or 0.0))
        for worker in workers
        if worker.step_us and worker.cpu_share is not None and worker.cpu_share < MOSTLY_WAITING
    ]
    return median(waits) if waits else 0.0


RULE = Rule("env-too-cheap-for-processes", check)
