"""Two profiles → what became cheaper per env step, what more expensive, what is within noise.

Two recordings are no pair: the machine may have been another one in the meantime. So noise has a floor,
beside what the windows of each run (for stages) and the number of samples (for functions) say.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Mapping
from pathlib import PurePath

from goldsplit.model.experiment.side_by_side import Change, SideBySide, SideRow, SideRun
from goldsplit.model.profile import Hotspot, Profile, StageRow

#: Unpaired runs of the same code differ by this much even on a calm machine.
FLOOR = 0.10
#: Smaller costs than this share of an env step are not worth a line.
SMALLEST_SHARE = 0.003
#: Nor is a smaller change than this.
SMALLEST_CHANGE = 0.01
#: A function seen less often in both runs is left out: nothing can be said on fewer.
FEWEST_SAMPLES = 8
_Z = 1.96


def side_by_side(first: Profile, second: Profile) -> SideBySide:
    """A and B compared."""
    runs = (_run(first), _run(second))
    costs = [run.us_per_env_step for run in runs]
    speedup = costs[0] / costs[1] if costs[0] and costs[1] else None
    return SideBySide(
        *runs,
        speedup=speedup,
        stages=_stages(first, second, max(costs[0] or 0.0, costs[1] or 0.0)),
        functions=_functions(first, second),
        warnings=_warnings(first, second, runs),
    )


def _run(profile: Profile) -> SideRun:
    speed = profile.throughput
    per_1000 = speed.seconds_per_1000_env_steps
    steps = speed.steady_env_steps
    cpu = sum(process.cpu_seconds for process in profile.processes)
    return SideRun(
        id=profile.run.id,
        command=profile.run.command,
        env_steps=speed.env_steps,
        us_per_env_step=None if per_1000 is None else 1000 * per_1000,
        cpu_us_per_env_step=1e6 * cpu / steps if steps and cpu else None,
        updates_per_env_step=speed.updates_per_env_step,
        samples=profile.trust.samples,
        waited_for_cpu_share=profile.trust.waited_for_cpu_share,
        revision=str(profile.run.git["revision"])[:10] if profile.run.git else None,
    )


def _stages(first: Profile, second: Profile, step_us: float) -> list[SideRow]:
    sides = [{row.stage: row for row in profile.stages} for profile in (first, second)]
    rows = []
    for name in sorted(sides[0].keys() | sides[1].keys()):
        before, after = (side.get(name) for side in sides)
        costs = [None if row is None else row.us_per_env_step for row in (before, after)]
        if all(cost is None for cost in costs) or max(c or 0.0 for c in costs) < SMALLEST_SHARE * step_us:
            continue
        noise = math.hypot(
            SMALLEST_CHANGE * step_us, _stage_noise(first, before), _stage_noise(second, after)
        )
        calls = [_per_step(row, profile) for row, profile in ((before, first), (after, second))]
        rows.append(_row(name, "", (costs[0], costs[1]), noise, (calls[0], calls[1])))
    return sorted(rows, key=lambda row: -abs(row.difference_us))


def _per_step(row: StageRow | None, profile: Profile) -> float | None:
    steps = profile.throughput.steady_env_steps
    return None if row is None or row.calls is None or not steps else row.calls / steps


def _stage_noise(profile: Profile, row: StageRow | None) -> float:
    """Half the width of a 95 % interval of a stage's cost per env step, from the run's windows, its
    samples, and the floor."""
    if row is None or row.us_per_env_step is None:
        return 0.0
    cost = row.us_per_env_step
    sampled = (
        cost * (row.wall_share_high - row.wall_share_low) / 2 / row.wall_share if row.wall_share else 0.0
    )
    values = [
        1e6 * window.stages[row.stage] * window.seconds / window.env_steps
        for window in profile.throughput.windows
        if window.env_steps and row.stage in window.stages
    ]
    spread = _Z * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 2 else 0.0
    return math.hypot(FLOOR * cost, sampled, min(spread, cost))


def _functions(first: Profile, second: Profile) -> list[SideRow]:
    sides = [_spots(profile) for profile in (first, second)]
    rows = []
    for key in sorted(sides[0].keys() | sides[1].keys()):
        both = [side.get(key) for side in sides]
        if max(spot.samples for spot in both if spot is not None) < FEWEST_SAMPLES:
            continue
        costs = [_spot_cost(spot, run) for spot, run in zip(both, (first, second), strict=True)]
        if all(cost is None for cost in costs):
            continue
        noise = math.hypot(*(_spot_noise(spot, cost) for spot, cost in zip(both, costs, strict=True)))
        calls = [None if spot is None else spot.calls_per_env_step for spot in both]
        known = next(spot for spot in reversed(both) if spot is not None)
        where = f"{PurePath(known.file).name}:{known.line}"
        name = f"{known.function} ({known.stage})" if known.stage else known.function
        row = _row(name, where, (costs[0], costs[1]), noise, (calls[0], calls[1]))
        if row.change == Change.NEW and _may_be_unseen(known, row.second_us, first):
            row = dataclasses.replace(row, change=Change.FEW_IN_FIRST)
        elif row.change == Change.GONE and _may_be_unseen(known, row.first_us, second):
            row = dataclasses.replace(row, change=Change.FEW_IN_SECOND)
        rows.append(row)
    return sorted(rows, key=lambda row: -abs(row.difference_us))


def _may_be_unseen(spot: Hotspot, cost_us: float | None, other: Profile) -> bool:
    """Whether a function of one run may have run in the other, which does not name it: it is in
    stacks there, or so few samples as it would have there do not name a function."""
    file = PurePath(spot.file).name
    places = [cost.place for cost in other.functions] + [line.place for line in other.user_lines]
    if any((place.function, PurePath(place.file).name) == (spot.function, file) for place in places):
        return True
    per_1000 = other.throughput.seconds_per_1000_env_steps
    expected = other.trust.samples * (cost_us or 0.0) / (1000 * per_1000) if per_1000 else 0.0
    return expected < FEWEST_SAMPLES


def _spots(profile: Profile) -> Mapping[tuple[str, str, str], Hotspot]:
    """By name, file and stage. Lines move when code changes, and folders in a worktree."""
    return {(spot.function, PurePath(spot.file).name, spot.stage or ""): spot for spot in profile.hotspots}


def _spot_cost(spot: Hotspot | None, profile: Profile) -> float | None:
    per_1000 = profile.throughput.seconds_per_1000_env_steps
    return None if spot is None or per_1000 is None else 1000 * per_1000 * spot.self_share


def _spot_noise(spot: Hotspot | None, cost: float | None) -> float:
    if spot is None or cost is None:
        return 0.0
    return math.hypot(FLOOR * cost, _Z * cost / math.sqrt(max(1, spot.samples)))


def _row(
    name: str,
    where: str,
    costs: tuple[float | None, float | None],
    noise: float,
    calls: tuple[float | None, float | None],
) -> SideRow:
    before, after = costs
    difference = (after or 0.0) - (before or 0.0)
    if abs(difference) <= noise:
        change = Change.NOISE
    elif before is None:
        change = Change.NEW
    elif after is None:
        change = Change.GONE
    else:
        change = Change.CHEAPER if difference < 0 else Change.EXPENSIVE
    return SideRow(name, where, before, after, noise, change, *calls)


def _warnings(first: Profile, second: Profile, runs: tuple[SideRun, SideRun]) -> list[str]:
    found = [
        "these are two single runs, not pairs: other programs, heat or another day may be the difference; "
        "`goldsplit ab` decides"
    ]
    for name, run in zip("AB", runs, strict=True):
        if run.us_per_env_step is None:
            found.append(f"{name} counted no env steps, so nothing can be compared per step")
        if run.waited_for_cpu_share is not None and run.waited_for_cpu_share > 0.05:
            found.append(f"{name} had no core for {100 * run.waited_for_cpu_share:.0f} % of the time")
        if run.samples == 0:
            found.append(f"{name} has no stack samples, so functions are not compared")
    if first.run.host != second.run.host:
        found.append(f"A ran on {first.run.host}, B on {second.run.host}")
    if first.run.packages != second.run.packages or first.run.python != second.run.python:
        found.append("the versions of Python or of packages differ")
    updates = [run.updates_per_env_step for run in runs]
    if updates[0] and updates[1] and not 0.95 < updates[1] / updates[0] < 1.05:
        found.append(f"A made {updates[0]:.3g} updates per env step, B {updates[1]:.3g}: not the same work")
    return found
