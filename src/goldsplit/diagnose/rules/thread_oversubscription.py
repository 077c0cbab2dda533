"""All processes together have more native threads (OpenMP, BLAS) than there are cores.

## What it sees

How many threads torch uses in each process that computes (sampled during forward passes; for other
libraries, the native threads of the process), the cores that the run may use, the CPU time of native threads
(the CPU time of a process minus that of its Python threads), and how long the computing threads were neither
on a core nor waiting for another Python thread.

## Why it is slow

torch and BLAS split an operation over a pool of threads, as many as there are cores, *in each process*. The
operations of a small network last microseconds: waking the pool and waiting for its last thread costs more
than it saves. With more threads than cores, the last thread has no core yet, and all others wait for the
scheduler. In a real project, setting one variable made the run 10.9x faster.

## Example

```sh
python train.py                        # slow: 8 workers x 16 threads on 16 cores
OMP_NUM_THREADS=1 python train.py      # fast
```

## What to do

`OMP_NUM_THREADS=1` for the whole run, or `torch.set_num_threads(1)` at the top of the trainer and of each
worker. Then try 2 in the trainer alone if its batches are large.

## When not

If there is one process with large batches and no busy workers: there the pool helps, with up to as many
threads as cores.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.rule import Rule, fact_place, line_in, percent, share_of
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Lane, Profile
from goldsplit.model.stage import ACT, ENV, LEARN, LEARN_FORWARD

#: Native threads must use at least this part of all CPU time.
LEAST_NATIVE_SHARE = 0.15
#: From this part of its time without a core on, a computing thread was clearly kept waiting.
LEAST_OFF_CORE = 0.1
_COMPUTING = (ACT, LEARN)


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding."""
    pools = pool_sizes(profile)
    cores, threads = profile.system.cores, sum(pools.values())
    cpu = sum(one.cpu_seconds for one in profile.processes)
    native = sum(one.cpu_seconds - one.python_cpu_seconds for one in profile.processes)
    if not cores or threads <= cores or max(pools.values()) < 2 or native < LEAST_NATIVE_SHARE * cpu:
        return
    kept = fractions_left(profile, pools)
    share = sum(row.wall_share * (1.0 - kept.get(row.stage, 1.0)) for row in profile.stages)
    if share < LEAST_OFF_CORE * share_of(profile, *kept):
        return
    yield Finding(
        code=RULE.code,
        title=f"{threads} computing threads on {cores} cores wait for each other: "
        f"{percent(share)} of wall time",
        where=fact_place(profile, FactKind.TORCH_THREADS, str(max(pools.values())))
        or line_in(profile, *_COMPUTING),
        stage=LEARN_FORWARD,
        evidence={
            "computing_threads": threads,
            "processes_that_compute": len(pools),
            "cores": cores,
            "cpu_seconds": cpu,
            "native_thread_cpu_seconds": native,
            "steady_seconds": profile.phases.steady_seconds,
            "off_core_share": share,
        },
        share=share,
        ceiling_speedup=speedup_if(profile, kept),
        confidence="high" if native > 0.3 * cpu else "medium",
        remedy="one thread per process: OMP_NUM_THREADS=1, or torch.set_num_threads(1) in the trainer and "
        "in each worker",
        verify=f"OMP_NUM_THREADS=1 goldsplit record -- {shlex.join(profile.run.command)}",
        effort="minutes",
    )


def fractions_left(profile: Profile, pools: dict[int, int]) -> dict[str, float]:
    """Stage → the part of its time in which the thread that computes had a core.

    For the driver, all time that it was neither on a core nor waiting for another Python thread is charged
    to its computing stages; for workers that compute, to the environment's stages.
    """
    kept: dict[str, float] = {}
    driver = next((lane for lane in profile.lanes if lane.role == "driver"), None)
    computing = share_of(profile, *_COMPUTING)
    if driver is not None and driver.pid in pools and computing > 0:
        lost = min(computing, off_core(driver, profile) * (1.0 - (driver.wait_share or 0.0)))
        kept |= {
            row.stage: 1.0 - lost / computing for row in profile.stages if row.stage.startswith(_COMPUTING)
        }
    workers = [lane for lane in profile.lanes if lane.role == "env-worker" and lane.pid in pools]
    if workers:
        mean = sum(off_core(lane, profile) for lane in workers) / len(workers)
        kept |= {row.stage: 1.0 - mean for row in profile.stages if row.stage.startswith(ENV)}
    return kept


def off_core(lane: Lane, profile: Profile) -> float:
    """The part of a thread's busy time in which it was not running; 0 if that is unknown."""
    busy = 1.0 - (lane.wait_share or 0.0) if lane.role == "driver" else lane.busy_share or 0.0
    seconds = busy * profile.phases.steady_seconds
    if lane.cpu_seconds is None or seconds <= 0:
        return 0.0
    return max(0.0, 1.0 - lane.cpu_seconds / seconds)


def pool_sizes(profile: Profile) -> dict[int, int]:
    """Process → threads that it computes with: as torch reports, else the native threads of the process."""
    seen: dict[int, tuple[float, int]] = {}
    for fact in profile.facts:
        if fact.kind == FactKind.TORCH_POOL:
            seen[fact.pid] = max(seen.get(fact.pid, (0.0, 0)), (fact.count, int(fact.detail)))
    pools = {pid: size for pid, (_, size) in seen.items()}
    for one in profile.processes:
        native = one.cpu_seconds - one.python_cpu_seconds
        if one.pid not in pools and one.native_threads and native >= LEAST_NATIVE_SHARE * one.cpu_seconds:
            pools[one.pid] = one.native_threads + 1
    return pools


RULE = Rule("thread-oversubscription", check)
