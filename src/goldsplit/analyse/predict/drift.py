"""Does the run slow down, which stage grew, against what? Longer episodes are not slower steps.

Compared are whole rounds since learning began, without stalls (see counts/trend_windows.py). A growth is
named only if it is large enough to matter, and steady: it shows all along the run, by more than chance. What
changed once and stayed so is another phase of the run, and is named as that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from goldsplit.analyse.counts.trend_windows import trend_windows
from goldsplit.analyse.predict.growth_fits import correlation, growth
from goldsplit.analyse.predict.trend_tests import BY_CHANCE, one_change, rises_steadily
from goldsplit.model.progress import Changed, Drift, Window
from goldsplit.model.stage import ENV, GAME, REPLAY, REPLAY_ADD, WAITING

#: A stage grew if its cost rose by this factor, and by this share of what a whole step had cost.
GREW, MATTERS = 1.2, 0.05
#: Noise alone hardly gives such a factor: then it is not asked how many stages were looked at.
BEYOND_NOISE = 3.0
#: A run slows down if the cost of a whole step rose by this factor, and growing stages explain this much of
#: it where noise hides the trend of the whole.
SLOWER, EXPLAINED = 1.1, 0.5
#: A phase is another one from this change of the cost per env step on, up or down.
ANOTHER_LEVEL = 1.2
#: Among things that a stage's cost follows equally well, its usual cause is believed.
AS_WELL = 0.05
#: How sure the change of episode length must be, in standard errors.
SURE = 2.5
LEAST_WINDOWS = 4

Measure = Callable[[Window], float | None]


def drift(windows: Sequence[Window], waited: Mapping[str, float] | None = None) -> Drift:
    """The last quarter since learning began against the first, and the trend between them.

    `waited`: stage → seconds that the driver waited for it, so that growing waits get the name of what was
    waited for.
    """
    compared = trend_windows(windows).steady
    if len(compared) < LEAST_WINDOWS:
        return Drift(None, [])
    first, last = quarters(compared)
    costs = step_costs(compared)
    fit = growth(steps_so_far(compared), costs, [w.seconds for w in compared])
    before, after = cost_us(first), cost_us(last)
    changed = change_of(compared, costs)
    growing = [] if changed is not None else growing_stages(compared, waited or {})
    explained = sum(row["us_per_env_step_last"] - row["us_per_env_step_first"] for row in growing)
    steady = rises_steadily(steps_so_far(compared), logs(costs)) or (
        bool(growing) and explained > EXPLAINED * (after - before)
    )
    slows_down = changed is None and after > SLOWER * before and steady
    falls = rises_steadily(steps_so_far(compared), [-cost for cost in logs(costs)])
    lengths = [episode_steps(part) for part in (first, last)]
    return Drift(
        throughput_change=steps_per_second(last) / steps_per_second(first) - 1.0,
        growing_stages=growing,
        us_per_env_step_first=before,
        us_per_env_step_last=after,
        cost_factor=after / before if before else None,
        slows_down=slows_down,
        speeds_up=changed is None and not growing and before > SLOWER * after and falls,
        model=fit.model if slows_down else "constant",
        us_per_update_first=per_update_us(first),
        us_per_update_last=per_update_us(last),
        episode_steps_first=lengths[0],
        episode_steps_last=lengths[1],
        episode_factor=lengths[1] / lengths[0] if lengths[0] and lengths[1] else None,
        episodes_change=episodes_change(compared),
        windows_compared=len(compared),
        changed=changed,
        changed_stages=[] if changed is None else changed_stages(compared, waited or {}),
    )


def step_costs(windows: Sequence[Window]) -> list[float]:
    """Seconds that an env step needed, window by window."""
    return [needed_seconds(w) / (w.env_steps or 1) for w in windows]


def logs(figures: Sequence[float]) -> list[float]:
    """Noise multiplies; so trends are looked for in logarithms. What is near zero is all the same."""
    least = 0.05 * max(figures)
    return [math.log(figure + least) if least > 0 else 0.0 for figure in figures]


def change_of(windows: Sequence[Window], costs: Sequence[float]) -> Changed | None:
    """Where the cost of a step changed once and stayed so, enough to matter."""
    found = one_change(steps_so_far(windows), logs(costs))
    if found is None:
        return None
    before, after = cost_us(windows[: found.place]), cost_us(windows[found.place :])
    if max(after / before, before / after) < ANOTHER_LEVEL:
        return None
    start = windows[found.place]
    steps = start.env_steps_before
    if steps is None:
        steps = sum(w.env_steps or 0 for w in windows[: found.place])
    return Changed(float(steps), start.start, before, after)


def quarters(windows: Sequence[Window]) -> tuple[Sequence[Window], Sequence[Window]]:
    size = max(1, len(windows) // 4)
    return windows[:size], windows[-size:]


def steps_so_far(windows: Sequence[Window]) -> list[float]:
    """Env steps of the whole run up to the middle of each window."""
    if all(w.env_steps_before is not None for w in windows):
        return [(w.env_steps_before or 0) + (w.env_steps or 0) / 2 for w in windows]
    middles, done = [], 0
    for window in windows:
        middles.append(done + (window.env_steps or 0) / 2)
        done += window.env_steps or 0
    return middles


def needed_seconds(window: Window) -> float:
    """A window's wall time without the time in which the driver had no core: a busy machine is no drift."""
    return max(0.1 * window.seconds, window.seconds - window.delayed_seconds)


def steps_per_second(windows: Sequence[Window]) -> float:
    return sum(w.env_steps or 0 for w in windows) / sum(w.seconds for w in windows)


def cost_us(windows: Sequence[Window]) -> float:
    return 1e6 * sum(map(needed_seconds, windows)) / sum(w.env_steps or 0 for w in windows)


def per_update_us(windows: Sequence[Window]) -> float | None:
    """Wall time per update, everything included; None where nothing is learnt."""
    updates = sum(w.updates or 0 for w in windows)
    return 1e6 * sum(map(needed_seconds, windows)) / updates if updates else None


def episode_steps(windows: Sequence[Window]) -> float | None:
    """Mean steps of an episode; None where too few ended to tell."""
    ended = sum(w.episodes or 0 for w in windows)
    return sum(w.env_steps or 0 for w in windows) / ended if ended >= 3 else None


def episodes_change(windows: Sequence[Window]) -> str | None:
    """longer, shorter or steady; None where episodes were not counted, or too few."""
    first, last = quarters(windows)
    before, after = episode_steps(first), episode_steps(last)
    if before is None or after is None:
        return None
    numbers = [sum(w.episodes or 0 for w in part) for part in (first, last)]
    doubt = math.sqrt(sum(1 / number for number in numbers))
    if abs(math.log(after / before)) < max(SURE * doubt, math.log(GREW)):
        return "steady"
    return "longer" if after > before else "shorter"


def growing_stages(windows: Sequence[Window], waited: Mapping[str, float]) -> list[dict[str, Any]]:
    """The stages that cost more and more per env step, the one that grew most first."""
    first, last = quarters(windows)
    chance = by_chance(windows)
    found = []
    for stage, costs in _more_expensive(windows):
        plain = stage_us(last, stage) > BEYOND_NOISE * stage_us(first, stage)
        if grows_steadily(windows, stage, costs, BY_CHANCE if plain else chance):
            found.append((stage, costs))
    return _rows(windows, found, waited)


def changed_stages(windows: Sequence[Window], waited: Mapping[str, float]) -> list[dict[str, Any]]:
    """The stages that became more expensive once, and stayed so."""
    at = steps_so_far(windows)
    found, places = [], {}
    for stage, costs in _more_expensive(windows):
        change = one_change(at, logs(costs))
        if change is not None:
            found.append((stage, costs))
            places[stage] = windows[change.place].env_steps_before
    return [
        row | {"changed_at_env_steps": places[row["window_stage"]]} for row in _rows(windows, found, waited)
    ]


def _more_expensive(windows: Sequence[Window]) -> list[tuple[str, list[float]]]:
    """Stages that cost enough more in the last quarter than in the first, and their costs by window."""
    first, last = quarters(windows)
    step_cost = cost_us(first)
    found = []
    for stage in sorted({stage for w in last for stage in w.stages}):
        before, after = stage_us(first, stage), stage_us(last, stage)
        if after - before > MATTERS * step_cost and after > GREW * before:
            found.append((stage, [stage_us([w], stage) for w in windows]))
    return found


def by_chance(windows: Sequence[Window]) -> float:
    """How improbable a stage's rise must be: the more stages are looked at, the more rise by chance."""
    stages = {stage for w in windows for stage in w.stages}
    looked_at = [stage for stage in stages if stage_us(windows, stage) > MATTERS * cost_us(windows)]
    return BY_CHANCE / max(1, 2 * len(looked_at))  # each is looked at in two ways


def grows_steadily(
    windows: Sequence[Window], stage: str, costs: Sequence[float], chance: float = BY_CHANCE
) -> bool:
    """Whether a stage's cost rises all along; or its part of a step does: where the whole machine is now
    faster, now slower, all stages vary together, and only their parts show a trend."""
    at = steps_so_far(windows)
    if rises_steadily(at, logs(costs), chance):
        return True
    parts = [w.stages.get(stage, 0.0) for w in windows]
    size = len(windows) // 3
    ends = stage_us(windows[:size], stage), stage_us(windows[-size:], stage)
    return size > 0 and ends[1] > GREW * ends[0] and rises_steadily(at, logs(parts), chance)


def first_of(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The name of the stage that grew most; None: none did."""
    return str(rows[0]["stage"]) if rows else None


def _rows(
    windows: Sequence[Window], found: list[tuple[str, list[float]]], waited: Mapping[str, float]
) -> list[dict[str, Any]]:
    first, last = quarters(windows)
    rows = []
    for stage, costs in found:
        cause = max(waited, key=lambda name: waited[name]) if stage in WAITING and waited else stage
        ends = stage_us(first, stage), stage_us(last, stage)
        rows.append(_growth_row(cause, windows, costs, ends) | {"window_stage": stage})
    return sorted(rows, key=lambda row: row["us_per_env_step_first"] - row["us_per_env_step_last"])


def stage_us(windows: Sequence[Window], stage: str) -> float:
    """A stage's part of what a step needs; time without a core is taken from all stages alike."""
    spent = sum(w.stages.get(stage, 0.0) * needed_seconds(w) for w in windows)
    return 1e6 * spent / sum(w.env_steps or 0 for w in windows)


def _growth_row(
    stage: str, windows: Sequence[Window], costs: list[float], ends: tuple[float, float]
) -> dict[str, Any]:
    first, last = quarters(windows)
    call_us = [call_cost_us(part, stage) for part in (first, last)]
    often = [calls_per_step(part, stage) for part in (first, last)]
    per_call = [call_cost_us([w], stage) for w in windows]
    per_call_grew = (
        call_us[0] and call_us[1] and call_us[1] / call_us[0] > math.sqrt(ends[1] / max(ends[0], 1e-9))
    )
    figure = [value if value is not None else 0.0 for value in per_call] if per_call_grew else costs
    fit = growth(steps_so_far(windows), figure, [w.seconds for w in windows])
    return {
        "stage": stage,
        "us_per_env_step_first": ends[0],
        "us_per_env_step_last": ends[1],
        "factor": ends[1] / ends[0] if ends[0] > 0 else None,
        "us_per_call_first": call_us[0],
        "us_per_call_last": call_us[1],
        "call_factor": call_us[1] / call_us[0] if call_us[0] and call_us[1] else None,
        "calls_per_env_step_first": often[0],
        "calls_per_env_step_last": often[1],
        "model": fit.model,
        "full_at_env_steps": round(fit.full_at) if math.isfinite(fit.full_at) else None,
        **against(stage, windows, figure),
    }


def call_cost_us(windows: Sequence[Window], stage: str) -> float | None:
    """Mean duration of one call, in any thread."""
    calls = sum(w.calls.get(stage, 0) for w in windows)
    return sum(w.call_us.get(stage, 0.0) * w.calls.get(stage, 0) for w in windows) / calls if calls else None


def calls_per_step(windows: Sequence[Window], stage: str) -> float | None:
    calls = sum(w.calls.get(stage, 0) for w in windows)
    return calls / sum(w.env_steps or 0 for w in windows) if calls else None


def against(stage: str, windows: Sequence[Window], figure: list[float]) -> dict[str, Any]:
    """What the stage's cost follows best, and from where to where that went."""
    found = []
    for name, series in candidates(windows).items():
        strength = correlation(series, figure)
        if strength is not None and strength > 0.5:
            found.append((strength + (AS_WELL if name == usual_cause(stage, windows) else 0.0), name, series))
    if not found:
        return {"against": None, "correlation": None, "against_first": None, "against_last": None}
    bonus, name, series = max(found)
    size = max(1, len(series) // 4)
    return {
        "against": name,
        "correlation": round(min(1.0, bonus - (AS_WELL if name == usual_cause(stage, windows) else 0.0)), 3),
        "against_first": sum(series[:size]) / size,
        "against_last": sum(series[-size:]) / size,
    }


def usual_cause(stage: str, windows: Sequence[Window]) -> str:
    """What usually makes a stage slower."""
    if stage.startswith(REPLAY) and any(w.calls.get(REPLAY_ADD) for w in windows):
        return "transitions stored"
    return "episode length" if stage.startswith((ENV, GAME)) else "env steps"


def candidates(windows: Sequence[Window]) -> dict[str, list[float]]:
    """Everything else that was seen to change over the run, window by window."""
    steps = steps_so_far(windows)
    found = {"env steps": steps}
    if any(w.calls.get(REPLAY_ADD) for w in windows):
        found["transitions stored"] = steps
    measures: dict[str, Measure] = {
        "episode length": lambda w: (w.env_steps or 0) / w.episodes if w.episodes else None,
        "memory": lambda w: w.rss_bytes,
        "open files": lambda w: w.open_files,
        "processes": lambda w: w.processes,
    }
    for name, measure in measures.items():
        values = [measure(window) for window in windows]
        known = [value for value in values if value is not None]
        if len(known) == len(values) and max(known) > min(known):
            found[name] = known
    return found
