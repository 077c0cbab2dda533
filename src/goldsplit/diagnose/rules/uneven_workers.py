"""One worker has more to do than the others, at every step.

## What it sees
Worker processes step in lock-step, and the processor time per environment step of the most loaded one is at
least 1.3 times the mean of all; the difference costs at least 5 % of the wall time.

## Why it is slow
A turn lasts as long as its slowest worker. If that is always the same one, the others wait at every step,
and adding more workers with a light load changes nothing.

## Example
```python
# slow: one worker has the large map alone
envs = AsyncVectorEnv([partial(Game, size) for size in (16, 32)])

# fast: every worker has a share of each
envs = SharedVectorEnv([partial(Game, size) for size in (16, 32, 16, 32)], workers=2)
```

## What to do
Mix: give every worker environments of each kind, or let each environment change its kind from episode to
episode. Or collect without a barrier (`send` and `recv` of `goldsplit.fast.vector.SharedVectorEnv`).

## When not
If one opponent or one map must be expensive and is needed this often, only mixing helps.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, line_in, record_again
from goldsplit.diagnose.workers import environment_share, process_start_line, worker_lanes
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Lane, Profile
from goldsplit.model.stage import ENV, ENV_STEP

LEAST_STEPS = 100
LEAST_UNEVEN = 1.3
LEAST_SHARE = 0.05


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    lanes = [lane for lane in worker_lanes(profile) if (lane.env_steps or 0) >= LEAST_STEPS]
    structure = profile.structure
    if len(lanes) < 2 or structure is None or structure.kind != "lock-step":
        return
    costs = [cpu_us_per_step(lane) for lane in lanes]
    shares = [environment_share(lane) for lane in lanes]
    mean_cost = sum(costs) / len(costs)
    most = max(range(len(lanes)), key=lambda place: costs[place])
    share = shares[most] - sum(shares) / len(shares)
    if mean_cost <= 0 or costs[most] < LEAST_UNEVEN * mean_cost or share < LEAST_SHARE:
        return
    factor = costs[most] / mean_cost
    yield Finding(
        code=RULE.code,
        title=f"one of {len(lanes)} workers needs {factor:.1f}x the mean per step; the others wait",
        where=process_start_line(profile) or line_in(profile, ENV),
        stage=ENV_STEP,
        evidence={
            "workers": len(lanes),
            "cpu_us_per_step_of_slowest": costs[most],
            "cpu_us_per_step_mean": mean_cost,
            "environment_share_of_slowest": shares[most],
            "environment_share_mean": sum(shares) / len(shares),
        },
        share=share,
        ceiling_speedup=1.0 / (1.0 - share),
        confidence="high" if costs[most] >= 1.5 * mean_cost else "medium",
        remedy=(
            "mix the kinds of environments: several per worker "
            "(goldsplit.fast.vector.SharedVectorEnv with workers=), so that each worker has the same load"
        ),
        verify=record_again(profile),
        risk="the order of environments changes: an index may mean another map",
    )


def cpu_us_per_step(lane: Lane) -> float:
    """Processor time per step: unlike wall time it does not depend on other programs."""
    return 1e6 * (lane.cpu_seconds or 0.0) / (lane.env_steps or 1)


RULE = Rule("uneven-workers", check)
