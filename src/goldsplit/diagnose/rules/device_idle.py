"""The GPU is idle while Python works.

## What it sees
The run uses a GPU (there are transfers to it), it was busy less than 30 % of the time, and environments and
action selection on the processor take at least half of the wall time. With `record --gpu` busy means that
kernels ran; otherwise it is NVML's utilisation, which says that a kernel was resident.

## Why it is slow
A small network on a GPU is fast, but it waits for Python: one environment step after the other, one small
batch after the other. The device cannot work faster than data arrives.

## Example
```python
# slow: one observation per forward pass
action = policy(torch.as_tensor(observation, device="cuda")[None])

# fast: many environments per forward pass
actions = policy(torch.as_tensor(observations, device="cuda"))  # 64 rows
```

## What to do
Step more environments per forward pass (`goldsplit.fast.vector.SharedVectorEnv`), make the environment
cheaper, or, for a small network, act on the processor and use the device for updates only.

## When not
More environments change the algorithm's balance of data and updates. Utilisation only says that some kernel
was running: the device may have been less busy than that, but never busier.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.devices import measured_device
from goldsplit.diagnose.rule import (
    ANY,
    Rule,
    largest_function_in,
    percent,
    record_again,
    row_of,
    saved_if,
    share_of,
)
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ACT, ENV, LEARN, ROLLOUT, TRANSFER

MOST_UTILISATION = 0.3
LEAST_PYTHON_SHARE = 0.5


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    seen = busy_device(profile)
    environment, acting = share_of(profile, ENV), share_of(profile, ACT, ROLLOUT)
    if seen is None or seen[1] > MOST_UTILISATION or environment + acting < LEAST_PYTHON_SHARE:
        return
    name, busy, figure = seen
    prefix = ENV if environment >= acting else ACT
    stages = [row.stage for row in profile.stages if row.stage.startswith(prefix)]
    share = max(environment, acting)
    if not stages:
        return
    yield Finding(
        code=RULE.code,
        title=f"the GPU is used {percent(busy)} of the time while {stages[0]} takes {percent(share)}",
        where=largest_function_in(profile, prefix),
        stage=stages[0],
        evidence={
            "gpu": name,
            figure: busy,
            "environment_share": environment,
            "acting_share": acting,
            "learning_share": share_of(profile, LEARN),
        },
        share=share,
        ceiling_speedup=speedup_if(profile, dict.fromkeys(stages, 0.0)),
        saves=saved_if(profile, dict.fromkeys(stages, 0.0)),
        confidence="medium",
        remedy=(
            "give the device more work at once: more environments per forward pass "
            "(goldsplit.fast.vector.SharedVectorEnv), or a cheaper step"
        ),
        verify=record_again(profile),
        effort="hours",
    )


def busy_device(profile: Profile) -> tuple[str, float, str] | None:
    """The device, how busy it was, and what says so: kernels where they were measured, else NVML."""
    use = measured_device(profile)
    if use is not None and use.busy_share is not None:
        return use.name, use.busy_share, "gpu_busy_share"
    waits = bool(profile.devices) or row_of(profile, TRANSFER) is not None
    if not profile.system.gpu or not waits:
        return None
    device = max(profile.system.gpu, key=lambda gpu: gpu["utilisation"])
    return str(device["name"]), float(device["utilisation"]), "gpu_utilisation"


RULE = Rule("device-idle", check, yields_to=(ANY,))
