"""Learning takes most of the time, on one thread, while cores are idle.

## What it sees
At least 60 % of the driver's wall time is in learning stages, `torch.set_num_threads(1)` was called in the
training process, a backward pass takes 10 ms or more (so its operations are large enough for several
threads), and the run leaves most of a core or more idle.

## Why it is slow
The setting is right for small networks and for worker processes, where threads cost more than they save.
For large batches and wide layers a matrix product on two cores takes little more than half the time.

## Example
```python
# slow: copied from a script with a small network
torch.set_num_threads(1)

# fast: as many as there are cores
torch.set_num_threads(len(os.sched_getaffinity(0)))
```

## What to do
Remove the line, or set the number of cores that nothing else uses; in worker processes keep 1.

## When not
If worker processes need the idle cores at the same time: then threads and workers together should not be
more than the cores. Small operations become slower with more threads.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.rule import ANY, Rule, percent, record_again, row_of, saved_if
from goldsplit.diagnose.workers import driver_pid, idle_cores
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Fact, Profile
from goldsplit.model.stage import LEARN_BACKWARD, LEARN_FORWARD, LEARN_LOSS, LEARN_OPTIMIZER

LEAST_SHARE = 0.6
LEAST_IDLE_CORES = 0.7
#: Below this, a backward pass consists of operations too small to be shared among threads.
LEAST_BACKWARD_US = 10_000.0
_PARALLEL = (LEARN_FORWARD, LEARN_BACKWARD, LEARN_LOSS, LEARN_OPTIMIZER)


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    share = sum(row.wall_share for row in profile.stages if row.stage in _PARALLEL)
    backward, idle, setting = row_of(profile, LEARN_BACKWARD), idle_cores(profile), single_thread(profile)
    if share < LEAST_SHARE or idle < LEAST_IDLE_CORES or setting is None:
        return
    if backward is None or backward.mean_us is None or backward.mean_us < LEAST_BACKWARD_US:
        return
    threads = min(profile.system.cores, 1 + round(idle))
    yield Finding(
        code=RULE.code,
        title=f"learning takes {percent(share)} of the time on one thread while {idle:.1f} cores are idle",
        where=setting.place,
        stage=LEARN_BACKWARD,
        evidence={
            "learning_share": share,
            "threads": 1,
            "backward_us": backward.mean_us,
            "idle_cores": idle,
            "cores": profile.system.cores,
        },
        share=share * (1.0 - 1.0 / threads),
        ceiling_speedup=speedup_if(profile, dict.fromkeys(_PARALLEL, 1.0 / threads)),
        saves=saved_if(profile, dict.fromkeys(_PARALLEL, 1.0 / threads)),
        confidence="medium",
        remedy=f"let torch use {threads} threads in the training process: torch.set_num_threads({threads})",
        verify=record_again(profile),
        effort="minutes",
    )


def single_thread(profile: Profile) -> Fact | None:
    """The call that set one thread in the training process, if no other number was set there."""
    driver = driver_pid(profile)
    settings = [fact for fact in profile.facts if fact.kind == FactKind.TORCH_THREADS and fact.pid == driver]
    return settings[0] if settings and all(fact.detail == "1" for fact in settings) else None


RULE = Rule("learner-bound", check, yields_to=(ANY,))
