"""The GPU is idle while Python works.

## What it sees
The run uses a GPU (there are transfers to it), a kernel was running on it less than 30 % of the time, and
environments and action selection on the processor take at least half of the wall time.

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
from goldsplit.diagnose.rule import ANY, Rule, line_in, percent, record_again, row_of, share_of
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ACT, ENV, LEARN, ROLLOUT, TRANSFER

MOST_UTILISATION = 0.3
LEAST_PYTHON_SHARE = 0.5


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    if not profile.system.gpu or row_of(profile, TRANSFER) is None:
        return
    device = max(profile.system.gpu, key=lambda gpu: gpu["utilisation"])
    environment, acting = share_of(profile, ENV), share_of(profile, ACT, ROLLOUT)
    if device["utilisation"] > MOST_UTILISATION or environment + acting < LEAST_PYTHON_SHARE:
        return
    prefix = ENV if environment >= acting else ACT
    stages = [row.stage for row in profile.stages if row.stage.startswith(prefix)]
    share = max(environment, acting)
    if not stages:
        return
    yield Finding(
        code=RULE.code,
        title=f"the GPU is used {percent(device['utilisation'])} of the time "
        f"while {stages[0]} takes {percent(share)}",
        where=line_in(profile, prefix),
        stage=stages[0],
        evidence={
            "gpu": device["name"],
            "gpu_utilisation": device["utilisation"],
            "environment_share": environment,
            "acting_share": acting,
            "learning_share": share_of(profile, LEARN),
        },
        share=share,
        ceiling_speedup=speedup_if(profile, dict.fromkeys(stages, 0.0)),
        confidence="medium",
        remedy=(
            "give the device more work at once: more environments per forward pass "
            "(goldsplit.fast.vector.SharedVectorEnv), or a cheaper step"
        ),
        verify=record_again(profile),
        effort="hours",
    )


RULE = Rule("device-idle", check, yields_to=(ANY,))
