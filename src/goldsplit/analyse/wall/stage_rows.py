"""The stage table: wall shares from the partition, counts and durations from all threads' spans."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from goldsplit.analyse.counts.histogram import merge, percentile_ns
from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.stacks.own_code import OwnCode, OwnFunction
from goldsplit.analyse.wall.ownership import is_task
from goldsplit.analyse.wall.partition import Partition, StageTime
from goldsplit.model.profile import StageRow
from goldsplit.model.recording import ProcessId
from goldsplit.model.stage import category_of


@dataclass(slots=True)
class _Spans:
    """What all threads' spans of one stage add up to."""

    calls: int = 0
    inclusive_ns: int = 0
    own_ns: int = 0
    cpu_ns: float = 0.0
    cpu_known: bool = False
    histograms: list[dict[int, int]] = field(default_factory=list)


def stage_rows(
    split: Partition,
    series: dict[ProcessId, Series],
    borders: tuple[int, int],
    env_steps: int | None,
    own: OwnCode,
) -> list[StageRow]:
    """One row per stage (or function of the user's own) that owns wall time, largest first."""
    spans = _collect(series, borders)
    rows = [
        _row(stage, time, split, spans.get(stage), env_steps, own.functions.get(stage))
        for stage, time in split.stages.items()
    ]
    return sorted(rows, key=lambda row: -row.wall_share)


def _collect(series: dict[ProcessId, Series], borders: tuple[int, int]) -> dict[str, _Spans]:
    start, end = borders
    found: dict[str, _Spans] = defaultdict(_Spans)
    for one in series.values():
        process = one.process
        own: dict[tuple[int, int], int] = {}
        for thread in process.threads:
            own |= {(thread, node): ns for node, ns in one.self_times(thread, start, end).items()}
        for (thread, node), info in process.nodes.items():
            if not info.stage or is_task(process, thread, node):
                continue
            owner = one.owner_of(thread, node)
            before, after = one.node((thread, node), start), one.node((thread, node), end)
            spans = found[owner.stage]
            spans.own_ns += max(0, own.get((thread, node), 0))
            if after.cpu_wall_ns:
                spans.cpu_known = True
                spans.cpu_ns += own.get((thread, node), 0) * min(1.0, after.cpu_ns / after.cpu_wall_ns)
            if info.stage != owner.stage:
                continue
            spans.calls += max(0, after.count - before.count)
            spans.inclusive_ns += after.total_ns - before.total_ns
            histogram = process.histograms.get((thread, node))
            if histogram:
                spans.histograms.append(histogram)
    return found


def _row(
    stage: str,
    time: StageTime,
    split: Partition,
    spans: _Spans | None,
    env_steps: int | None,
    own: OwnFunction | None,
) -> StageRow:
    wall = split.wall_ns or 1.0
    share = min(1.0, time.total_ns / wall)
    uncertain = time.uncertain_ns / wall
    exact = spans is not None and spans.calls > 0
    histogram = merge(spans.histograms) if spans is not None else {}
    return StageRow(
        stage=stage,
        category=category_of(stage),
        source="sampled" if time.sampled_ns + time.waited_sampled_ns > time.total_ns / 2 else "span",
        wall_seconds=time.total_ns / 1e9,
        wall_share=share,
        wall_share_low=max(0.0, share - uncertain),
        wall_share_high=min(1.0, share + uncertain),
        calls=spans.calls if exact and spans is not None else None,
        mean_us=spans.inclusive_ns / spans.calls / 1e3 if exact and spans is not None else None,
        p50_us=_us(percentile_ns(histogram, 0.50)),
        p95_us=_us(percentile_ns(histogram, 0.95)),
        p99_us=_us(percentile_ns(histogram, 0.99)),
        us_per_env_step=time.total_ns / 1e3 / env_steps if env_steps else None,
        thread_seconds=spans.own_ns / 1e9 if exact and spans is not None else None,
        cpu_seconds=spans.cpu_ns / 1e9 if spans is not None and spans.cpu_known else None,
        ceiling_speedup=1.0 / (1.0 - share) if share < 0.999 else None,
        waited_share=min(1.0, time.waited_ns / wall),
        samples=round(time.samples) or None,
        place=own.place if own is not None else None,
        device_share=min(1.0, time.device_ns / wall),
    )


def _us(ns: float | None) -> float | None:
    return None if ns is None else ns / 1e3
