"""Small operations are split over a pool of threads (OpenMP, BLAS), and stall waiting for its last thread.

## What it sees

How many threads torch uses in each process that computes (sampled during forward passes; for other libraries,
the native threads of the process). Only pools whose threads used processor time count. Then whether they
stall: forward and backward passes whose mean is far above their median, or more computing threads than
cores; and how long the computing threads were neither on a core, nor ready for one, nor waiting for another
Python thread.

That time is what was seen, not what is saved at most: a thread that waits for the last one of its pool turns
on its core at first, which looks like work, and takes the core from every other stage. So there is no
ceiling. It takes a minute to try.

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

A program that calls `torch.set_num_threads` itself does not listen to the variable. `--with threads:1`, which
tries the remedy, overrides that call; for good the call has to be changed.

## What to do

`OMP_NUM_THREADS=1` for the whole run, or `torch.set_num_threads(1)` at the top of the trainer and of each
worker. Then try 2 in the trainer alone if its batches are large.

## When not

If there is one process with large batches and no busy workers: there the pool helps, with up to as many
threads as cores.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.rule import Rule, fact_place, line_in, percent, saved_if, share_of
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.launched import record_with
from goldsplit.model.profile import Lane, ProcessFigures, Profile
from goldsplit.model.stage import ACT, ENV, LEARN, LEARN_FORWARD

#: Native threads must use at least this part of a process's CPU time, or its pool does not compute.
LEAST_NATIVE_SHARE = 0.15
#: … and this part where nobody says that they are a pool: threads of a network library use some time, too.
LEAST_UNNAMED_SHARE = 0.5
#: … and this part of the run's time: a process that hardly computes keeps nobody waiting.
LEAST_OF_RUN = 0.02
#: From this part of its time without a core on, a computing thread was clearly kept waiting.
LEAST_OFF_CORE = 0.1
#: The mean of a computing stage is this many times its median: most calls are fast, some stall.
LEAST_STALL = 2.0
#: With more threads than cores every call may stall, so that the median does as well: then the threads must
#: have been off their cores for this part of the computing.
LEAST_OFF_CORE_OF_ALL = 0.3
#: From this part of the time without a core on, on cores that this run does not fill, others have them.
OTHER_LOAD = 0.1
_COMPUTING = (ACT, LEARN)


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding."""
    pools = pool_sizes(profile)
    cores, threads = profile.system.cores, sum(pools.values())
    if not cores or not pools or max(pools.values()) < 2:
        return
    kept = fractions_left(profile, pools)
    share = sum(row.wall_share * (1.0 - kept.get(row.stage, 1.0)) for row in profile.stages)
    computing, stall = share_of(profile, *kept), worst_stall(profile)
    crowded = threads > cores and share >= LEAST_OFF_CORE_OF_ALL * computing
    if share < LEAST_OFF_CORE * computing or not (stall >= LEAST_STALL or crowded):
        return
    cpu = sum(one.cpu_seconds for one in profile.processes)
    native = sum(one.cpu_seconds - one.python_cpu_seconds for one in profile.processes)
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
            "mean_over_median_of_computing_stages": stall,
            "cpu_seconds": cpu,
            "native_thread_cpu_seconds": native,
            "steady_seconds": profile.phases.steady_seconds,
            "stalled_share": share,
        },
        share=share,
        ceiling_speedup=None,
        unbounded=True,
        saves=saved_if(profile, kept),
        confidence="high"
        if stall >= LEAST_STALL and native > 0.3 * cpu and not is_beside_other_load(profile)
        else "medium",
        remedy="use one thread per process: OMP_NUM_THREADS=1, or torch.set_num_threads(1) in the trainer "
        "and in each worker",
        verify=record_with(profile.run.command, profile.run.folder, "--with", "threads:1"),
        effort="minutes",
        overlays=("threads:1",),
    )


def worst_stall(profile: Profile) -> float:
    """How far the means of the computing stages lie above their medians, weighted by their time; 1: not."""
    rows = [row for row in profile.stages if row.stage.startswith(_COMPUTING) and row.mean_us and row.p50_us]
    whole = sum(row.wall_share for row in rows)
    if whole <= 0.0:
        return 1.0
    return sum(row.wall_share * (row.mean_us or 0.0) / (row.p50_us or 1.0) for row in rows) / whole


def stalled_share(profile: Profile) -> float:
    """Share of wall time that the computing stages take beyond the medians of their calls; 0 if few stall."""
    if worst_stall(profile) < LEAST_STALL:
        return 0.0
    return sum(
        row.wall_share * max(0.0, 1.0 - row.p50_us / row.mean_us)
        for row in profile.stages
        if row.stage.startswith(_COMPUTING) and row.mean_us and row.p50_us
    )


def fractions_left(profile: Profile, pools: dict[int, int]) -> dict[str, float]:
    """Stage → the part of its time that is left if no thread waits for another one of its pool.

    For the driver, the time that it was neither on a core nor waiting for another Python thread is charged to
    its computing stages: all of it in which it was not even ready for a core (or ready, if its own pools took
    that); and where calls stall, what they take beyond their medians. For workers that compute, to the
    environment's stages.
    """
    kept: dict[str, float] = {}
    driver = next((lane for lane in profile.lanes if lane.role == "driver"), None)
    computing = share_of(profile, *_COMPUTING)
    ready = (profile.trust.waited_for_cpu_share or 0.0) * (1.0 - taken_by_pools(profile, pools))
    if driver is not None and driver.pid in pools and computing > 0:
        off = off_core(driver, profile) * (1.0 - (driver.wait_share or 0.0))
        lost = min(computing, max(off - ready, min(off, stalled_share(profile))))
        kept |= {
            row.stage: 1.0 - lost / computing for row in profile.stages if row.stage.startswith(_COMPUTING)
        }
    workers = [lane for lane in profile.lanes if lane.role == "env-worker" and lane.pid in pools]
    if workers:
        mean = sum(off_core(lane, profile) for lane in workers) / len(workers)
        kept |= {row.stage: 1.0 - mean for row in profile.stages if row.stage.startswith(ENV)}
    return kept


def is_beside_other_load(profile: Profile) -> bool:
    """Whether other programs had the cores for a time: who waited for whom is not certain then."""
    cores, busy = profile.system.cores, profile.system.cpu_percent
    waited = profile.trust.waited_for_cpu_share or 0.0
    return waited >= OTHER_LOAD and (busy is None or cores - busy / 100 >= 1.0)


def taken_by_pools(profile: Profile, pools: dict[int, int]) -> float:
    """The part of the time without a core in which the run's own threads had it: the part of the cores that
    the run keeps busy, where its pools alone are more than the cores."""
    cores, busy = profile.system.cores, profile.system.cpu_percent
    return min(1.0, busy / 100 / cores) if busy is not None and sum(pools.values()) > cores else 0.0


def off_core(lane: Lane, profile: Profile) -> float:
    """The part of a thread's busy time in which it was not running; 0 if that is unknown."""
    busy = 1.0 - (lane.wait_share or 0.0) if lane.role == "driver" else lane.busy_share or 0.0
    seconds = busy * profile.phases.steady_seconds
    if lane.cpu_seconds is None or seconds <= 0:
        return 0.0
    return max(0.0, 1.0 - lane.cpu_seconds / seconds)


def pool_sizes(profile: Profile) -> dict[int, int]:
    """Process → threads that it computes with: as torch reports, else the native threads of the process. A
    pool whose threads used next to no processor time does not compute."""
    native = {one.pid: one.cpu_seconds - one.python_cpu_seconds for one in profile.processes}
    least = LEAST_OF_RUN * profile.phases.steady_seconds

    def computes(one: ProcessFigures, part: float) -> bool:
        return native[one.pid] >= max(least, part * one.cpu_seconds)

    computing = {one.pid for one in profile.processes if computes(one, LEAST_NATIVE_SHARE)}
    seen: dict[int, tuple[float, int]] = {}
    for fact in profile.facts:
        if fact.kind == FactKind.TORCH_POOL and fact.pid in computing:
            seen[fact.pid] = max(seen.get(fact.pid, (0.0, 0)), (fact.count, int(fact.detail)))
    pools = {pid: size for pid, (_, size) in seen.items()}
    for one in profile.processes:
        if one.pid not in pools and one.native_threads and computes(one, LEAST_UNNAMED_SHARE):
            pools[one.pid] = one.native_threads + 1
    return pools


RULE = Rule("thread-oversubscription", check)
