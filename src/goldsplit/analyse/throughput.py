"""Rates of the steady phase and how they change over it."""

from __future__ import annotations

import itertools
from typing import Any

from goldsplit.analyse.causes import ThreadKey
from goldsplit.analyse.counting import Counting
from goldsplit.analyse.ownership import owner_of, self_times
from goldsplit.analyse.series import Series
from goldsplit.analyse.steady import Steady
from goldsplit.model.profile import Drift, Throughput, Window

MAX_WINDOWS = 60


def window_borders(series: Series, steady: Steady) -> list[int]:
    """Snapshot instants that cut the steady phase into at most MAX_WINDOWS windows of about equal length."""
    inside = [t for t in series.times if steady.start_ns <= t <= steady.end_ns]
    if len(inside) < 3:
        return [steady.start_ns, steady.end_ns]
    least = max((inside[-1] - inside[0]) / MAX_WINDOWS, 0.9e9)
    borders = [inside[0]]
    for t in inside[1:-1]:
        if t - borders[-1] >= least and inside[-1] - t >= least / 2:
            borders.append(t)
    return [*borders, inside[-1]]


def throughput(counting: Counting, series: Series, driver: ThreadKey, steady: Steady) -> Throughput:
    """Counts of the whole run, rates of the steady phase, and its windows."""
    end = 1 << 62
    total = counting.at(end)
    before, after = counting.at(steady.start_ns), counting.at(steady.end_ns)
    seconds = (steady.end_ns - steady.start_ns) / 1e9
    steps = difference(before.env_steps, after.env_steps)
    episodes = difference(before.episodes, after.episodes)
    updates = difference(before.updates, after.updates)
    counters, metrics = counting.extra(end)
    borders = window_borders(series, steady)
    return Throughput(
        env_steps=total.env_steps,
        env_steps_per_second=rate(steps, seconds),
        seconds_per_1000_env_steps=1000 * seconds / steps if steps else None,
        episodes=total.episodes,
        episodes_per_second=rate(episodes, seconds),
        updates=total.updates,
        updates_per_second=rate(updates, seconds),
        updates_per_env_step=updates / steps if steps and updates is not None else None,
        eval_env_steps=total.eval_env_steps,
        counters=counters,
        metrics=metrics,
        windows=[
            one_window(counting, series, driver, steady.start_ns, (start, stop))
            for start, stop in itertools.pairwise(borders)
        ],
    )


def one_window(
    counting: Counting, series: Series, driver: ThreadKey, origin_ns: int, borders: tuple[int, int]
) -> Window:
    """One stretch between two snapshots of the driver."""
    start, stop = borders
    seconds = (stop - start) / 1e9
    before, after = counting.at(start), counting.at(stop)
    steps = difference(before.env_steps, after.env_steps)
    stages: dict[str, float] = {}
    for node, ns in self_times(series, driver[1], start, stop).items():
        owner = owner_of(series.process, driver[1], node)
        stage = owner.enclosing or owner.stage
        stages[stage] = stages.get(stage, 0.0) + max(0, ns) / 1e9 / seconds
    return Window(
        start=round((start - origin_ns) / 1e9, 3),
        seconds=round(seconds, 3),
        env_steps=steps,
        env_steps_per_second=rate(steps, seconds),
        episodes=difference(before.episodes, after.episodes),
        updates=difference(before.updates, after.updates),
        stages={stage: round(min(1.0, share), 5) for stage, share in sorted(stages.items())},
    )


def difference(before: int | None, after: int | None) -> int | None:
    return None if after is None else after - (before or 0)


def rate(number: int | None, seconds: float) -> float | None:
    return None if number is None or seconds <= 0 else number / seconds


def drift(windows: list[Window]) -> Drift:
    """The last quarter's throughput against the first quarter's, and which stages cost more per step."""
    usable = [w for w in windows if w.env_steps]
    if len(usable) < 4:
        return Drift(None, [])
    quarter = max(1, len(usable) // 4)
    first, last = usable[:quarter], usable[-quarter:]
    speed_first, speed_last = steps_per_second(first), steps_per_second(last)
    growing: list[dict[str, Any]] = []
    for stage in sorted({stage for w in last for stage in w.stages}):
        before, after = seconds_per_step(first, stage), seconds_per_step(last, stage)
        gained = after - before
        if gained > 0.05 / speed_first and after > 1.2 * before:
            growing.append(
                {"stage": stage, "us_per_env_step_first": before * 1e6, "us_per_env_step_last": after * 1e6}
            )
    growing.sort(key=lambda row: row["us_per_env_step_first"] - row["us_per_env_step_last"])
    return Drift(speed_last / speed_first - 1.0, growing)


def steps_per_second(windows: list[Window]) -> float:
    return sum(w.env_steps or 0 for w in windows) / sum(w.seconds for w in windows)


def seconds_per_step(windows: list[Window], stage: str) -> float:
    return sum(w.stages.get(stage, 0.0) * w.seconds for w in windows) / sum(w.env_steps or 0 for w in windows)
