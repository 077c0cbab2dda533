"""Every worker imports torch before it can step.

## What it sees
Worker processes import a heavy package (torch, tensorflow, jax) themselves, and the slowest of them needs at
least 8 % of the whole recorded run for it, start-up included. Unlike in other findings, share and ceiling
are of the whole wall time, because start-up is not part of the steady phase.

## Why it is slow
A spawned worker is a new Python process that imports the training script again, with everything at the top
of it. The imports take seconds, on all cores at once, and hundreds of megabytes per worker, for a package
that stepping does not need.

## Example
```python
# slow: workers import this file, and torch with it
import torch


# fast: torch where it is used; environments in a module without it
def main():
    import torch
```

## What to do
Put environments into a module that does not import torch, and import torch (and the module with the
network) inside `main()`. If it is safe, use the start method `fork`: forked workers have everything imported
already. The workers of Stable-Baselines3's `SubprocVecEnv` always import torch unless they are forked
(`start_method="fork"`).

## When not
In a long training it is a few seconds once (the evidence says how many seconds the recorded run had). In
sweeps and tests of many short runs it is most of the time. `fork` is unsafe once threads or CUDA have been
started.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, percent, record_again
from goldsplit.diagnose.workers import measured, worker_facts
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import STARTUP

LEAST_SHARE = 0.08


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    imports = worker_facts(profile, FactKind.IMPORT)
    wall = profile.run.wall_seconds
    if not imports or wall <= 0:
        return
    slowest = max(imports, key=lambda fact: fact.amount)
    share = min(0.9, slowest.amount / wall)
    if share < LEAST_SHARE:
        return
    workers = len({fact.pid for fact in imports})
    seconds = f"{slowest.amount:.1f} s"
    yield Finding(
        code=RULE.code,
        title=f"{workers} workers import {slowest.detail} for {seconds}: {percent(share)} of the whole run",
        where=slowest.place,
        stage=STARTUP,
        evidence=measured(
            workers_importing=workers,
            import_seconds_slowest_worker=slowest.amount,
            import_seconds_all_workers=sum(fact.amount for fact in imports),
            startup_seconds=profile.phases.startup_seconds,
            whole_run_seconds=wall,
            share_is_of="the whole wall time, start-up included",
        ),
        share=share,
        ceiling_speedup=1.0 / (1.0 - share),
        confidence="medium",
        remedy=(
            f"do not import {slowest.detail} in workers (environments in a separate module, "
            f"{slowest.detail} imported inside main()), or fork the workers; those of Stable-Baselines3 "
            'always import it unless start_method="fork"'
        ),
        verify=record_again(profile),
        effort="minutes",
        overlays=("start:forkserver",),
    )


RULE = Rule("startup-imports", check)
