"""Rates of the steady phase since learning began, what came before that, and windows of all of it."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Sequence

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.steps_and_updates import Counting
from goldsplit.analyse.counts.trend_windows import learning_begins, prefill, trend_windows
from goldsplit.analyse.wall.steady import Steady
from goldsplit.model.progress import Throughput, Window
from goldsplit.model.recording import SystemSample, ThreadKey

MAX_WINDOWS = 60


def window_borders(series: Series, steady: Steady, cut_ns: int | None = None) -> list[int]:
    """Snapshot instants that cut the steady phase into at most MAX_WINDOWS windows of about equal length.

    `cut_ns`: one more border, so that no window lies on both sides of it.
    """
    inside = [t for t in series.times if steady.start_ns <= t <= steady.end_ns]
    if len(inside) < 3:
        return [steady.start_ns, steady.end_ns]
    least = max((inside[-1] - inside[0]) / MAX_WINDOWS, 0.45e9)
    borders = [inside[0]]
    for t in inside[1:-1]:
        if t == cut_ns or (t - borders[-1] >= least and inside[-1] - t >= least / 2):
            borders.append(t)
    return [*borders, inside[-1]]


def first_update(counting: Counting, series: Series, steady: Steady) -> int | None:
    """The first snapshot of the steady phase that knows of an update made in it; None: there was none."""
    before = counting.at(steady.start_ns).updates or 0
    inside = (t for t in series.times if steady.start_ns < t < steady.end_ns)
    return next((t for t in inside if (counting.at(t).updates or 0) > before), None)


def throughput(
    counting: Counting,
    series: Series,
    driver: ThreadKey,
    steady: Steady,
    system: Sequence[SystemSample] = (),
) -> Throughput:
    """Counts of the whole run, rates since learning began, and windows of the steady phase."""
    end = 1 << 62
    total = counting.at(end)
    borders = window_borders(series, steady, first_update(counting, series, steady))
    windows = [
        with_surroundings(one_window(counting, series, driver, steady.start_ns, pair), counting, pair, system)
        for pair in itertools.pairwise(borders)
    ]
    begun = borders[learning_begins(windows)]
    counted = counting.between(series.pieces(begun, steady.end_ns))
    seconds = series.wall_ns(begun, steady.end_ns) / 1e9
    steps, episodes, updates = counted.env_steps, counted.episodes, counted.updates
    counters, metrics = counting.extra(end)
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
        windows=windows,
        prefill=prefill(windows),
        stalls=trend_windows(windows).stalls,
        steady_env_steps=counting.between(series.pieces(steady.start_ns, steady.end_ns)).env_steps,
        updates_counted_from=counting.updates_from,
        step_means=counting.step_means,
    )


def one_window(
    counting: Counting, series: Series, driver: ThreadKey, origin_ns: int, borders: tuple[int, int]
) -> Window:
    """The time between two snapshots of the driver; the deep look's windows in it are left out, as far as
    anything remains."""
    start, stop = borders
    pieces = series.pieces(start, stop) or [borders]
    seconds = sum(end - begin for begin, end in pieces) / 1e9
    made = counting.between(pieces)
    cpu_ns, delayed_ns = series.thread_cpu(driver.thread, start, stop)
    stages: dict[str, float] = {}
    for node, ns in series.self_times(driver.thread, start, stop).items():
        owner = series.owner_of(driver.thread, node)
        stage = owner.enclosing or owner.stage
        stages[stage] = stages.get(stage, 0.0) + max(0, ns) / 1e9 / seconds
    return Window(
        start=round((start - origin_ns) / 1e9, 3),
        seconds=round(seconds, 3),
        env_steps=made.env_steps,
        env_steps_per_second=rate(made.env_steps, seconds),
        episodes=made.episodes,
        updates=made.updates,
        stages={stage: round(min(1.0, share), 5) for stage, share in sorted(stages.items())},
        env_steps_before=counting.at(start).env_steps,
        delayed_seconds=round(delayed_ns / 1e9, 4),
        cpu_seconds=round(cpu_ns / 1e9, 4) if cpu_ns else None,
    )


def with_surroundings(
    window: Window, counting: Counting, borders: tuple[int, int], system: Sequence[SystemSample]
) -> Window:
    """A window with all threads' calls, and with the process tree as it was then."""
    calls: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    for series in counting.series.values():
        for key, info in series.process.nodes.items():
            if info.stage and series.owner_of(*key).stage == info.stage:
                before, after = (series.node(key, t) for t in borders)
                calls[info.stage] += max(0, after.count - before.count)
                spent[info.stage] += after.total_ns - before.total_ns
    tree = min(system, key=lambda sample: abs(sample.t_ns - sum(borders) // 2), default=None)
    seen = tree.processes.values() if tree is not None else ()
    files = [process.files for process in seen if process.files is not None]
    return dataclasses.replace(
        window,
        calls={stage: number for stage, number in sorted(calls.items()) if number},
        call_us={
            stage: round(spent[stage] / calls[stage] / 1e3, 2) for stage in sorted(calls) if calls[stage]
        },
        rss_bytes=tree.rss_bytes if tree is not None else None,
        open_files=sum(files) if files else None,
        processes=len(tree.processes) if tree is not None else None,
    )


def rate(number: int | None, seconds: float) -> float | None:
    return None if number is None or seconds <= 0 else number / seconds
