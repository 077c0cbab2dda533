"""The user's caches that the deep look saw, over all processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from goldsplit.analyse.deep.seen_segments import seen_ns
from goldsplit.model.deep import LEAST_ENV_STEPS, CacheUse, DeepFunction
from goldsplit.model.deep_files.deep_record import DeepRecord, SeenCache
from goldsplit.model.finding import Place
from goldsplit.model.wire import ALL, CHOSEN


@dataclass(slots=True)
class _Totals:
    """One cache over all processes."""

    stage: str = ""
    hits: int = 0
    misses: int = 0
    clears: int = 0
    entries: int = 0
    hit_ns: int = 0
    miss_ns: int = 0
    repeated: int = 0
    env_steps: float = 0.0
    share: float = 0.0


def caches(records: Sequence[DeepRecord], watched: Sequence[DeepFunction] = ()) -> list[CacheUse]:
    """Every cache that was seen, the most used first. What a watched function asks was seen in part of its
    calls only: how often it is asked and its share are the function's."""
    functions = {function.place: function for function in watched}
    found: dict[tuple[str, Place], _Totals] = defaultdict(_Totals)
    for deep in records:
        seen = sum(sum(seen_ns(deep, mode)) for mode in (ALL, CHOSEN)) or 1.0
        for row in deep.caches:
            totals = found[row.kind, row.place]
            _add(totals, row)
            totals.env_steps += sum(deep.env_steps)
            totals.share += (row.hit_ns + row.miss_ns) / seen / len(records)
    return sorted(
        (_cache(place, kind, totals, functions.get(place)) for (kind, place), totals in found.items()),
        key=lambda cache: (-cache.hits - cache.misses, cache.place.file, cache.place.line),
    )


def _add(totals: _Totals, row: SeenCache) -> None:
    totals.stage = row.stage
    totals.hits += row.hits
    totals.misses += row.misses
    totals.clears += row.clears
    totals.entries = max(totals.entries, row.entries)
    totals.hit_ns += row.hit_ns
    totals.miss_ns += row.miss_ns
    totals.repeated += row.repeated


def _cache(place: Place, kind: str, totals: _Totals, function: DeepFunction | None) -> CacheUse:
    calls = totals.hits + totals.misses
    hit_us = totals.hit_ns / totals.hits / 1e3 if totals.hits else None
    miss_us = totals.miss_ns / totals.misses / 1e3 if totals.misses else None
    per_step = calls / totals.env_steps if totals.env_steps >= LEAST_ENV_STEPS else None
    share = totals.share
    if kind == "dict" and function is not None:
        per_step, share = function.calls_per_env_step, function.total_share
    return CacheUse(
        place=place,
        kind=kind,
        hits=totals.hits,
        misses=totals.misses,
        clears=totals.clears,
        entries=totals.entries,
        key_us=hit_us,
        value_us=None if miss_us is None else max(0.0, miss_us - (hit_us or 0.0)),
        share=min(1.0, share),
        stage=totals.stage or None,
        calls_per_env_step=per_step,
        repeated_misses=totals.repeated,
    )
