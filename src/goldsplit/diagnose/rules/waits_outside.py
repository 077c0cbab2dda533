"""The trainer waits for a thread that itself waits for something outside: a game server, a disk, a timer.

## What it sees
The driver waits at least 10 % of its wall time for threads that do nothing known (an event loop, a client's
reader, in its own process or in its workers), and these idle most of their own time: what they wait for is
in no recorded process. What they compute themselves, as reading messages, is taken off.

## Why it is slow
One question, one answer: while the server thinks and the message travels, nobody learns, and while the
trainer learns, the server idles. The processor may be half idle, and a faster network or encoder changes
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
profile, a core that it has for itself. Learning while the next answers are on their way helps as well.

## When not
Where the server is busy the whole time, more games only queue there: then it is the server that must become
faster. On a machine without a free core the thread may have waited for that instead; the report warns.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.rule import Rule, fact_place, line_in, percent, record_again
from goldsplit.diagnose.workers import measured
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import Lane, Profile
from goldsplit.model.stage import ENV, VEC_SEND, WAITING

LEAST_SHARE = 0.1
#: A thread that idles for less of the time is at work itself, whatever it is.
LEAST_IDLE = 0.5
#: These threads must be what the driver waits for, for most of that wait.
LEAST_OF_WAIT = 0.5
#: Above this share of waiting for a core, the threads may have waited for that.
NOISY = 0.2


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    rows = [row for row in profile.stages if row.stage in WAITING]
    waited, threads = sum(row.wall_share for row in rows), idle_threads(profile)
    charged = min(waited, sum(charge for _, charge in threads))
    if not charged or charged < LEAST_OF_WAIT * waited:
        return
    share = charged - mean_of([(lane.busy_share, charge) for lane, charge in threads])
    if share < LEAST_SHARE:
        return
    without_core = profile.trust.waited_for_cpu_share
    longest = max(threads, key=lambda one: one[1])[0]
    yield Finding(
        code=RULE.code,
        title=f"the trainer waits {percent(share)} of the time for something outside, such as a game server",
        where=handed_over_at(profile),
        stage=max(rows, key=lambda row: row.wall_share).stage,
        evidence=measured(
            waited_share=waited,
            through_thread=longest.thread,
            such_threads=len(threads),
            idle_share_of_these=mean_of([(lane.wait_share, charge) for lane, charge in threads]),
            driver_without_core_share=without_core,
        ),
        share=share,
        ceiling_speedup=speedup_if(profile, {row.stage: 1.0 - share / waited for row in rows}),
        confidence="medium" if (without_core or 0.0) < NOISY else "low",
        remedy="play more games at once, so that they share one wait and one forward pass; then look at "
        "the server itself: timers, rate limits, a core of its own",
        verify=record_again(profile),
        effort="hours",
        risk="more games per update change the data that it learns from: compare rewards",
    )


def handed_over_at(profile: Profile) -> Place | None:
    """The user's line that asks the question: as a hook saw it, or else samples."""
    return fact_place(profile, "loop_submit") or line_in(profile, VEC_SEND) or line_in(profile, ENV)


def idle_threads(profile: Profile) -> list[tuple[Lane, float]]:
    """Threads that the driver waits for although they idle and do no known work, with how long it does."""
    return [
        (lane, lane.charged_share)
        for lane in profile.lanes
        if lane.role == "other" and lane.charged_share and (lane.wait_share or 0.0) >= LEAST_IDLE
    ]


def mean_of(shares: list[tuple[float | None, float]]) -> float:
    """The mean of shares, weighted by how long the driver waited for each."""
    return sum((share or 0.0) * weight for share, weight in shares) / sum(weight for _, weight in shares)


RULE = Rule("waits-outside", check)
