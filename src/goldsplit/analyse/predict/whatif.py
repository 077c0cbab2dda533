"""Answer a question from one recording: faster stages, another layout, another number of updates."""

from __future__ import annotations

import dataclasses
import difflib
import random
from collections.abc import Mapping

from goldsplit.analyse.predict.ceilings import (
    WHOLE_RUN,
    at_barrier_seconds,
    highest,
    least_share_left,
    most_speedup_if,
    own_seconds,
    predicted_seconds,
    remaining_share,
    speedup_if,
)
from goldsplit.analyse.predict.layout import (
    PER_UPDATE,
    Layout,
    effective_cores,
    in_threads,
    own_factor,
    recorded_layout,
    turn_wait_in,
)
from goldsplit.errors import QuestionError
from goldsplit.model.profile import Profile
from goldsplit.model.progress import Window
from goldsplit.model.stage import VEC_RECV, VOCABULARY
from goldsplit.model.structure import Structure
from goldsplit.model.whatif import Ceiling, Prediction, Scenario, WhatIf

RESAMPLES = 100
AMDAHL = "shares of wall time alone (Amdahl): stacks alone do not show who waits for whom"


def what_if(profile: Profile, scenario: Scenario) -> WhatIf:
    """The answer; raises QuestionError where the recording cannot give one."""
    check(profile, scenario)
    structure, flow = profile.structure, profile.throughput
    layout = recorded_layout(structure) if structure is not None else None
    return WhatIf(
        run=profile.run.id,
        structure=describe(structure),
        recorded={
            "env_steps_per_second": flow.env_steps_per_second,
            "envs": layout.envs if layout is not None else None,
            "workers": layout.workers if layout is not None else None,
            "cores": profile.system.cores,
            "updates_per_env_step": flow.updates_per_env_step,
        },
        scenario=scenario,
        prediction=None if scenario.empty else predict(profile, scenario),
        ceilings=ceilings(profile) if scenario.empty else [],
    )


def describe(structure: Structure | None) -> str:
    """Who waits for whom, in words; also the basis of every prediction."""
    if structure is None:
        return AMDAHL
    seen = f"{structure.turns_seen} turns seen span by span"
    if structure.kind == "lock-step":
        kind = "threads" if in_threads(structure.workers) else "processes"
        envs = f", {structure.envs} environments in all" if structure.envs else ""
        team = f"{len(structure.workers)} worker {kind}{envs}"
        return f"lock-step: the driver waits for the slowest of {team}; {seen}"
    if structure.kind == "overlap":
        threads = "1 thread" if structure.helpers == 1 else f"{structure.helpers} threads"
        return f"overlap: {threads} beside the driver prepare what it takes; {seen}"
    if structure.kind == "alone":
        return "one thread does everything in turn; exact times of its stages"
    return "shares of wall time (Amdahl): the driver waits, but for whom was not seen often enough"


def ceilings(profile: Profile) -> list[Ceiling]:
    """Every stage, the most expensive first."""
    return [
        Ceiling(
            row.stage,
            row.wall_share,
            most_speedup_if(profile, {row.stage}),
            speedup_if(profile, {row.stage: 0.5}),
            1.0 / (1.0 - highest(row)) if highest(row) < 1.0 - WHOLE_RUN else None,
        )
        for row in profile.stages
    ]


def check(profile: Profile, scenario: Scenario) -> None:
    """Refuse what this run cannot tell, and say what to record instead."""
    known = [row.stage for row in profile.stages]
    for stage in scenario.remaining:
        if stage not in known:
            near = difflib.get_close_matches(stage, known, 1, 0.5)
            named = any(stage == entry.name for entry in VOCABULARY)
            hint = (
                f"did you mean {near[0]}?"
                if near and not named
                else f"this run has: {', '.join(known) or 'none'}"
            )
            raise QuestionError(
                f"stage {stage} has no time in this run",
                hint
                if not named
                else f"{hint}; map a function to it: record --stage module:function={stage}",
            )
    if scenario.updates_per_step is not None and not profile.throughput.updates_per_env_step:
        raise QuestionError(
            "updates per env step were not measured in this run",
            'count them in your loop: goldsplit.count("updates"), and record again',
        )
    if scenario.envs is not None or scenario.workers is not None:
        new_layout(profile, scenario)


def new_layout(profile: Profile, scenario: Scenario) -> tuple[Layout, Layout]:
    """The recorded layout and the one asked for.

    Workers alone: each with as many environments as before. Environments alone: on as many workers as before,
    or, where each had a worker of its own, each again with one.
    """
    structure = profile.structure
    old = recorded_layout(structure) if structure is not None else None
    if structure is None or old is None:
        raise QuestionError(
            "how many environments are stepped at once was not measured in this run",
            "record with spans (goldsplit record, not attach), for at least some seconds of training",
        )
    if structure.kind == "overlap":
        raise QuestionError(
            "environments and workers beside a driver that does not wait for them cannot be predicted",
            "ask for stages (--stage env.step --faster 2), or run it with other numbers and compare",
        )
    if scenario.workers is not None and not old.workers:
        raise QuestionError(
            "this run has no workers: the driver steps its environments itself",
            "record a run with workers once; what messages cost cannot be told from this one",
        )
    workers = scenario.workers if scenario.workers is not None else old.workers
    envs = scenario.envs if scenario.envs is not None else max(1, round(old.envs / old.workers)) * workers
    if scenario.workers is None and old.workers == old.envs:
        workers = envs
    return old, Layout(envs, min(workers, envs))


def predict(profile: Profile, scenario: Scenario) -> Prediction:
    """The speed-up in env steps per second, with its interval."""
    modelled = share_left(profile, profile.structure, scenario, 0.0)
    ends = [modelled, share_left(profile, profile.structure, scenario, 1.0)]
    ends += resampled(profile, scenario)
    least = least_left(profile, scenario)
    likely = max(modelled, least)
    ends = sorted(max(least, end * likely / max(WHOLE_RUN, modelled)) for end in ends)
    cut = len(ends) // 40
    flow = profile.throughput.env_steps_per_second
    return Prediction(
        speedup=1.0 / max(WHOLE_RUN, likely),
        low=1.0 / max(WHOLE_RUN, max(likely, ends[-1 - cut])),
        high=1.0 / max(WHOLE_RUN, min(likely, ends[cut])),
        env_steps_per_second=flow / max(WHOLE_RUN, likely) if flow is not None else None,
        basis=describe(profile.structure),
        assumptions=assumptions(profile, scenario),
    )


def least_left(profile: Profile, scenario: Scenario) -> float:
    """What cheaper stages leave at least; 0 where another layout or number of updates is asked about too."""
    if (scenario.envs, scenario.workers, scenario.updates_per_step) != (None, None, None):
        return 0.0
    return least_share_left(profile, scenario.remaining)


def share_left(profile: Profile, structure: Structure | None, scenario: Scenario, other: float) -> float:
    """New wall time per env step over the recorded one; `other` (0..1): how far towards the other end of
    what a batch may cost, and of what crowded cores may."""
    remaining = dict(scenario.remaining)
    if scenario.updates_per_step is not None:
        times = scenario.updates_per_step / (profile.throughput.updates_per_env_step or 1.0)
        for stage in PER_UPDATE:
            remaining[stage] = remaining.get(stage, 1.0) * times
    if structure is None:
        return remaining_share(profile, remaining)
    if scenario.envs is None and scenario.workers is None:
        return predicted_seconds(structure, remaining) / structure.wall_seconds
    old, new = new_layout(profile, scenario)
    turns = turns_made(profile, structure, old)
    own = 0.0
    for stage, seconds in own_seconds(structure).items():
        at_one, at_other = own_factor(structure, stage, old, new, turns)
        own += seconds * remaining.get(stage, 1.0) * (at_one + other * (at_other - at_one))
    waited = sum(structure.waited.values())
    if structure.turns:
        waited = at_barrier_seconds(structure)
        waited *= turn_wait_in(structure, old, new, remaining, other) * old.envs / new.envs
    return (own + waited) / structure.wall_seconds


def turns_made(profile: Profile, structure: Structure, layout: Layout) -> float:
    """How often all environments were stepped; by the answers taken where env steps were not counted."""
    steps = profile.throughput.steady_env_steps
    if steps:
        return steps / layout.envs
    speed = profile.throughput.env_steps_per_second
    if speed:
        return speed * structure.wall_seconds / layout.envs
    return structure.calls.get(VEC_RECV, 0) / max(1, layout.workers)


def resampled(profile: Profile, scenario: Scenario) -> list[float]:
    """The same prediction from windows and turns drawn at random: how much depends on which were recorded."""
    structure, windows = profile.structure, profile.throughput.windows
    if structure is None:
        return by_share_intervals(profile, scenario)
    chance = random.Random(7)
    layout = scenario.envs is not None or scenario.workers is not None
    found = []
    for _ in range(RESAMPLES // 5 if layout else RESAMPLES):
        factors = window_factors(windows, chance)
        own = {stage: seconds * factors.get(stage, 1.0) for stage, seconds in structure.own.items()}
        turns, items = structure.turns, structure.items
        drawn = dataclasses.replace(
            structure,
            own=own,
            wall_seconds=sum(own.values()) + sum(structure.waited.values()),
            turns=chance.choices(turns, k=len(turns)) if turns else [],
            items=chance.choices(items, k=len(items)) if items else [],
        )
        found += [share_left(profile, drawn, scenario, other) for other in (0.0, 1.0)[: 1 + layout]]
    return found


def window_factors(windows: list[Window], chance: random.Random) -> Mapping[str, float]:
    """Stage → its time in windows drawn with replacement, over its time in all."""
    if len(windows) < 4:
        return {}
    drawn = chance.choices(windows, k=len(windows))
    stages = {stage for window in windows for stage in window.stages}
    factors = {}
    for stage in stages:
        before, after = (sum(w.stages.get(stage, 0.0) * w.seconds for w in part) for part in (windows, drawn))
        factors[stage] = after / before if before > 0 else 1.0
    return factors


def by_share_intervals(profile: Profile, scenario: Scenario) -> list[float]:
    """Without a structure: the ends of the sampled shares."""
    left = remaining_share(profile, scenario.remaining)
    rows = [row for row in profile.stages if row.stage in scenario.remaining]
    width = sum(
        abs(1.0 - scenario.remaining[row.stage]) * (row.wall_share_high - row.wall_share_low) / 2
        for row in rows
    )
    return [left - width, left + width]


def assumptions(profile: Profile, scenario: Scenario) -> list[str]:
    """What the prediction takes for granted."""
    found = []
    structure = profile.structure
    if scenario.envs is not None or scenario.workers is not None:
        old, new = new_layout(profile, scenario)
        found.append(
            f"{new.envs} environments on {new.workers} workers (recorded: {old.envs} on {old.workers})"
            if old.workers
            else f"{new.envs} environments in the driver itself (recorded: {old.envs})"
        )
        found.append(
            "as many updates per env step as "
            + ("recorded" if scenario.updates_per_step is None else "asked for")
        )
        found.append(
            "choosing actions costs as much per batch, however many environments "
            "(the interval goes to as much per environment)"
        )
        if structure is not None and old.workers:
            cores = effective_cores(structure)
            found.append(
                "workers are threads of one process, which run Python one at a time"
                if in_threads(structure.workers)
                else f"{cores} cores, which do not slow each other down (the interval goes to cores that do)"
                if cores
                else "enough cores: how many there are was not recorded"
            )
    elif scenario.updates_per_step is not None:
        found.append(
            "an update costs what it cost in this run; how well fewer or more of them learn is not predicted"
        )
    return found
