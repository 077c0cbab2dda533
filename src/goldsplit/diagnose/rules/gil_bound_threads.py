"""A thread pool steps environments in pure Python: one thread runs, the others wait for the lock.

## What it sees

Several threads step environments, and the driver waits for them. While it waits, all of them together use
only one core. So they do compute (they do not wait for a server or a disk), but one at a time, because only
one thread can hold Python's global lock.

## Why it is slow

Python runs one thread of a process at a time. Eight threads that step a game written in Python take as long
as one, plus the time to pass the lock from thread to thread: up to 5 ms each time.

## Example

```python
with ThreadPoolExecutor(8) as pool:  # slow: eight threads, one core
    results = list(pool.map(lambda env: env.step(actions[env.index]), envs))

envs = gymnasium.vector.AsyncVectorEnv([make_env] * 8)  # fast: eight processes
envs = goldsplit.fast.vector.SharedVectorEnv([make_env] * 8)  # fast, over shared memory
```

## What to do

Step in processes, with several environments per worker; or in a plain loop, which costs the same as the
threads and is simpler; or all games at once in NumPy or Numba.

## When not

Threads are right if the step waits for something outside (a local server, an emulator process) or runs in
native code that releases the lock. Then their CPU time is not that of one core, and the rule reports nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.rule import Rule, fact_place, line_in, record_again
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Lane, Profile
from goldsplit.model.stage import ENV, ENV_STEP

LEAST_WAITING = 0.05
#: Above this share of waiting for a core, other programs may be why the threads did not run side by side.
NOISY = 0.2
#: CPU seconds of the stepping threads per second that the driver waits for them. In this range they share one
#: core. If it is less, they wait for something outside; if it is more, they do run side by side.
ONE_CORE = (0.55, 1.2)


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding, on all other threads in the driver's process that step environments."""
    driver = next((lane for lane in profile.lanes if lane.role == "driver"), None)
    if driver is None or profile.system.cores < 2 or not driver.wait_share:
        return
    pool = [lane for lane in profile.lanes if lane.pid == driver.pid and is_stepping(lane)]
    waited = driver.wait_share * profile.phases.steady_seconds
    cpu = sum(lane.cpu_seconds or 0.0 for lane in pool)
    if len(pool) < 2 or driver.wait_share < LEAST_WAITING or not ONE_CORE[0] <= cpu / waited <= ONE_CORE[1]:
        return
    apart = min(profile.system.cores, len(pool))
    share = driver.wait_share * (1.0 - 1.0 / apart)
    yield Finding(
        code=RULE.code,
        title=f"{len(pool)} threads step environments, but together use {cpu / waited:.1f} cores",
        where=fact_place(profile, FactKind.POOL_SUBMIT, "thread") or line_in(profile, ENV),
        stage=ENV_STEP,
        evidence={
            "stepping_threads": len(pool),
            "driver_wait_share": driver.wait_share,
            "their_cpu_seconds": cpu,
            "cpu_seconds_per_second_waited": cpu / waited,
            "cores": profile.system.cores,
        },
        share=share,
        ceiling_speedup=1.0 / (1.0 - share),
        confidence="high" if (profile.trust.waited_for_cpu_share or 0.0) < NOISY else "medium",
        remedy="step in processes, several environments per worker (goldsplit.fast.vector), or all games at "
        "once in NumPy or Numba; a plain loop costs no more than these threads",
        verify=record_again(profile),
        effort="hours",
    )


def is_stepping(lane: Lane) -> bool:
    """Whether a thread other than the driver steps environments."""
    return lane.role in ("env-worker", "actor")


RULE = Rule("gil-bound-threads", check)
