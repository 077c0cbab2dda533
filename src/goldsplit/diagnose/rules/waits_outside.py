"""The trainer waits for a thread that itself waits for something outside: a game server, a disk, a timer.

## What it sees
The driver waits at least 10 % of its wall time for threads without a known stage (an event loop, a client's
reader, in its own process or in its workers), and these threads are idle most of the time: they wait for
something that is in no recorded process. Time in which they compute, such as reading messages, is subtracted.

## Why it is slow
While the server computes and the message travels, the trainer does nothing, and while the trainer learns,
the server does nothing. The processor may be half idle, and a faster neural network or encoder changes
nothing.

## Example
```python
# slow: one battle, so every step waits for one answer
future = asyncio.run_coroutine_threadsafe(battle.step(action), loop)
observation, reward, done = future.result()


# fast: many battles, so one wait is shared by all of them
async def step_all(battles, actions):
    return await asyncio.gather(*(battle.step(action) for battle, action in zip(battles, actions)))


results = asyncio.run_coroutine_threadsafe(step_all(battles, actions), loop).result()
```

## What to do
Play several games at once, over one event loop or in worker processes with a connection each, and act for
all of them in one forward pass. Then look at the server: timers, rate limits and sleeps in it, its own
profile, a separate core for it. It also helps to learn while the next answers are on their way.

## When not
If the server is busy the whole time, more games only wait in its queue: then the server must become faster.
On a machine without a free core the thread may have waited for a core instead; the report warns about that.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.rule import Rule, fact_place, line_in, percent, record_again, saved_if
from goldsplit.diagnose.workers import measured
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import Lane, Profile, StageRow
from goldsplit.model.stage import ENV, VEC_SEND, WAITING

LEAST_SHARE = 0.15
#: A thread that is idle for less of the time works itself.
LEAST_IDLE = 0.5
#: At least this part of the driver's waiting must be for these threads.
LEAST_OF_WAIT = 0.5
#: Above this share of waiting for a core, the threads themselves may have waited for a core.
NOISY = 0.2


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    rows = {row.stage: (row.wall_share, waited_in(row)) for row in profile.stages if waited_in(row) > 0.0}
    waited, threads = sum(part for _, part in rows.values()), idle_threads(profile)
    charged = min(waited, sum(charge for _, charge in threads))
    if not charged or charged < LEAST_OF_WAIT * waited:
        return
    share = charged - mean_of([(lane.busy_share, charge) for lane, charge in threads])
    if share < LEAST_SHARE:
        return
    kept = {stage: 1.0 - share / waited * part / whole for stage, (whole, part) in rows.items()}
    without_core = profile.trust.waited_for_cpu_share
    longest = max(threads, key=lambda one: one[1])[0]
    yield Finding(
        code=RULE.code,
        title=f"the trainer waits {percent(share)} of the time for something outside, such as a game server",
        where=handed_over_at(profile),
        stage=max(rows, key=lambda stage: rows[stage][1]),
        evidence=measured(
            waited_share=waited,
            through_thread=longest.thread,
            such_threads=len(threads),
            idle_share_of_these=mean_of([(lane.wait_share, charge) for lane, charge in threads]),
            driver_without_core_share=without_core,
        ),
        share=share,
        ceiling_speedup=speedup_if(profile, kept),
        saves=saved_if(profile, kept),
        confidence="medium" if (without_core or 0.0) < NOISY else "low",
        remedy="play more games at once, so that they share one wait and one forward pass; then look at "
        "the server itself: timers, rate limits, a separate core",
        verify=record_again(profile),
        effort="hours",
        risk="more games per update change the data that the agent learns from: compare rewards",
    )


def handed_over_at(profile: Profile) -> Place | None:
    """The user's line that hands over the work: as a hook saw it, else from samples."""
    return fact_place(profile, FactKind.LOOP_SUBMIT) or line_in(profile, VEC_SEND) or line_in(profile, ENV)


def waited_in(row: StageRow) -> float:
    """The share of wall time that the driver waited in a stage: for nobody known, or for an environment whose
    thread may itself wait for an answer."""
    if row.stage in WAITING:
        return row.wall_share
    return min(row.waited_share, row.wall_share) if row.stage.startswith(ENV) else 0.0


def idle_threads(profile: Profile) -> list[tuple[Lane, float]]:
    """Idle threads that the driver waits for, each with the share of that waiting: those without a known
    stage; and event loops that play, which hardly work while it waits."""
    loops = any(fact.kind == FactKind.LOOP_SUBMIT for fact in profile.facts)
    return [
        (lane, lane.charged_share)
        for lane in profile.lanes
        if lane.charged_share
        and (lane.wait_share or 0.0) >= LEAST_IDLE
        and (lane.role == "other" or (loops and is_idle_worker(lane)))
    ]


def is_idle_worker(lane: Lane) -> bool:
    """Whether an environment's thread mostly waits itself while the driver waits for it."""
    return lane.role == "env-worker" and (lane.busy_share or 0.0) < LEAST_IDLE * (lane.charged_share or 0.0)


def mean_of(shares: list[tuple[float | None, float]]) -> float:
    """The mean of shares, weighted by how long the driver waited for each."""
    return sum((share or 0.0) * weight for share, weight in shares) / sum(weight for _, weight in shares)


RULE = Rule("waits-outside", check)
