"""Workers in lock-step wait for one worker's slow step.

## What it sees
Workers step in turns that end with the slowest step. On average all workers have the same load, but single
steps vary much: either the median reset takes at least three times the median step, and there are enough of
them to hold up the others, or at least 3 % of the steps take 3.5 times the median or longer, and the slowest
steps take a fifth of all step time (time in which a worker had no core does not count). The slow steps alone
make the other workers wait for at least 3 % of the wall time.

## Why it is slow
A turn lasts as long as its slowest step. With N workers a rare slow step delays all of them, and it comes
about N times as often: if 5 % of the steps are slow, 34 % of the turns are slow with eight workers.

## Example
```python
# slow: every reset draws a new map; all other workers wait for it
def reset(self):
    self.map = generate_map()


# fast: maps are made before training, or by a thread while the game goes on
def reset(self):
    self.map = self.maps[self.rng.integers(len(self.maps))]
```

## What to do
Move the rare, expensive work out of the step: do it before training, or spread it over many steps. Or give
each worker several environments, so that slow steps average out, or collect without a barrier (`send` and
`recv` of `goldsplit.fast.vector.SharedVectorEnv`).

## When not
Where the slow steps are the game itself, collecting without a barrier changes which data an update sees.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, line_in, percent, record_again, row_of
from goldsplit.diagnose.workers import measured, worker_lanes
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ENV, ENV_RESET, ENV_STEP
from goldsplit.model.structure import Structure, Turn, WorkerTurn

LEAST_TURNS = 20
#: Fewer slow turns than this do not tell what makes them slow.
LEAST_SLOW_TURNS = 8
LEAST_STEPS = 60
#: At this percentile a slow step is due to the game, and not to a core that was lost now and then.
TAIL = 0.97
LEAST_TAIL = 3.5
LEAST_TIME_OF_SLOWEST = 0.2
LEAST_RESET_OVER_STEP = 3.0
LEAST_SHARE = 0.03
#: If the mean loads of workers differ by more than this, `uneven-workers` reports it.
MOST_UNEVEN = 1.25


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    structure, rate = profile.structure, profile.throughput.env_steps_per_second
    if structure is None or structure.kind != "lock-step" or len(structure.workers) < 2 or not rate:
        return
    steps = sorted(us for worker in structure.workers for us in worker.step_us)
    if len(structure.turns) < LEAST_TURNS or len(steps) < LEAST_STEPS or unevenness(structure) > MOST_UNEVEN:
        return
    slow_reset = (
        reset_over_step(profile) >= LEAST_RESET_OVER_STEP
        and resets_share(profile, len(structure.workers)) >= LEAST_SHARE
    )
    share = min(barrier_share(structure), slow_steps_share(steps, len(structure.workers), rate))
    if share < LEAST_SHARE or not (slow_reset or vary_much(steps, structure)):
        return
    stage = stage_of_slow_turns(structure) or (ENV_RESET if slow_reset else ENV_STEP)
    workers = len(structure.workers)
    yield Finding(
        code=RULE.code,
        title=f"{workers} workers wait for one worker's slow step: {percent(share)} of the time",
        where=line_in(profile, stage) or line_in(profile, ENV),
        stage=stage,
        evidence=measured(
            workers=workers,
            step_p50_us=at(steps, 0.5),
            step_p99_us=at(steps, 0.99),
            time_in_slowest_5_percent=time_of_slowest(steps),
            median_reset_over_median_step=reset_over_step(profile) or None,
            waiting_for_the_last_share=barrier_share(structure),
            turns_seen=structure.turns_seen,
            mean_barrier_share_of_workers=mean_barrier(profile),
        ),
        share=share,
        ceiling_speedup=1.0 / (1.0 - share),
        confidence="high" if slow_reset and share > 2 * LEAST_SHARE else "medium",
        remedy=(
            "precompute the rare expensive steps, or spread them out; or use several environments per "
            "worker, or collect without a barrier (goldsplit.fast.vector.SharedVectorEnv: send and recv)"
        ),
        verify=record_again(profile),
    )


def at(ordered: list[float], percentile: float) -> float:
    return ordered[int(percentile * len(ordered))]


def time_of_slowest(ordered: list[float]) -> float:
    """Share of all time that the slowest 5 % of steps take."""
    return sum(ordered[int(0.95 * len(ordered)) :]) / max(1e-9, sum(ordered))


def vary_much(ordered: list[float], structure: Structure) -> bool:
    """Whether the steps themselves vary, and are not only delayed by other programs on their core."""
    delays = [worker.delayed_share for worker in structure.workers if worker.delayed_share is not None]
    delayed = sum(delays) / len(delays) if delays else 0.0
    slow_enough = at(ordered, TAIL) >= LEAST_TAIL * at(ordered, 0.5)
    return slow_enough and time_of_slowest(ordered) - delayed >= LEAST_TIME_OF_SLOWEST


def slow_steps_share(ordered: list[float], workers: int, steps_per_second: float) -> float:
    """Share of the wall time in which the other workers wait for a step beyond twice the median."""
    usual = 2 * at(ordered, 0.5)
    beyond_us = sum(us - usual for us in ordered if us > usual) / len(ordered)
    return steps_per_second * beyond_us / 1e6 * (1.0 - 1.0 / workers)


def barrier_share(structure: Structure) -> float:
    """Share of the wall time in which the driver waits for the last worker after the mean finish."""
    waited = beyond = 0.0
    for turn in structure.turns:
        finishes = [max(0.0, worker.finish_us) for worker in turn.workers]
        waited += turn.wait_us
        beyond += min(turn.wait_us, max(finishes) - sum(finishes) / len(finishes)) if finishes else 0.0
    if waited <= 0 or structure.wall_seconds <= 0:
        return 0.0
    return min(0.99, beyond / waited * sum(structure.waited.values()) / structure.wall_seconds)


def stage_of_slow_turns(structure: Structure) -> str | None:
    """What the last worker does in slow turns beyond what it does in usual ones; None on too few of them."""
    finishes = sorted(last_of(turn).finish_us for turn in structure.turns)
    usual = 2 * finishes[len(finishes) // 2]
    slow = [last_of(turn).stages for turn in structure.turns if last_of(turn).finish_us > usual]
    fast = [last_of(turn).stages for turn in structure.turns if last_of(turn).finish_us <= usual]
    if len(slow) < LEAST_SLOW_TURNS or not fast:
        return None
    beyond: dict[str, float] = {}
    for stages, sign, number in ((slow, 1.0, len(slow)), (fast, -1.0, len(fast))):
        for stage, us in ((stage, us) for turn in stages for stage, us in turn.items()):
            beyond[stage] = beyond.get(stage, 0.0) + sign * us / number
    inside = {stage: us for stage, us in beyond.items() if stage.startswith(ENV)}
    return max(inside, key=lambda stage: inside[stage]) if inside else None


def last_of(turn: Turn) -> WorkerTurn:
    """The worker that the driver waits for in a turn."""
    return max(turn.workers, key=lambda worker: worker.finish_us)


def unevenness(structure: Structure) -> float:
    """The mean step of the most loaded worker, as a multiple of the mean of all."""
    means = [sum(worker.step_us) / len(worker.step_us) for worker in structure.workers if worker.step_us]
    return max(means) * len(means) / sum(means) if means and sum(means) > 0 else 1.0


def reset_over_step(profile: Profile) -> float:
    """The median reset as a multiple of the median step; 0 if that was not measured."""
    reset, step = row_of(profile, ENV_RESET), row_of(profile, ENV_STEP)
    if reset is None or step is None or not reset.p50_us or not step.p50_us:
        return 0.0
    return reset.p50_us / step.p50_us


def resets_share(profile: Profile, workers: int) -> float:
    """Share of the wall time in which the other workers wait for resets beyond a step, if every reset is in
    a turn of its own: rare ones hold nobody up, however long each of them is."""
    reset, step = row_of(profile, ENV_RESET), row_of(profile, ENV_STEP)
    if reset is None or step is None or not reset.p50_us or not step.p50_us or not reset.calls:
        return 0.0
    beyond_us = reset.calls * (reset.p50_us - step.p50_us) * (1.0 - 1.0 / workers)
    return beyond_us / 1e6 / max(1e-9, profile.phases.steady_seconds)


def mean_barrier(profile: Profile) -> float | None:
    known = [lane.barrier_share for lane in worker_lanes(profile) if lane.barrier_share is not None]
    return sum(known) / len(known) if known else None


RULE = Rule("barrier-bound", check, yields_to=("uneven-workers", "too-many-workers"))
