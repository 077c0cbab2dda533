"""Caches of the user's own that the deep look saw, over all processes."""

from __future__ import annotations

from collections import Counter, defaultdict

from goldsplit.analyse.deep.seen_segments import ALL, CHOSEN, place_of, seen_ns
from goldsplit.model.deep import CacheUse
from goldsplit.model.finding import Place
from goldsplit.model.recording import ProcessRecord


def caches(processes: list[ProcessRecord]) -> list[CacheUse]:
    """Every cache that was seen, the most asked first."""
    found: dict[tuple[str, Place], Counter[str]] = defaultdict(Counter)
    stages: dict[tuple[str, Place], str] = {}
    for process in processes:
        share = 1.0 / (sum(sum(seen_ns(process, mode)) for mode in (ALL, CHOSEN)) or 1.0)
        for row in process.deep.get("caches", ()):
            key = (row["kind"], place_of(row["at"]))
            stages[key] = row["stage"]
            numbers = ("hits", "misses", "clears", "hit_ns", "miss_ns", "repeated")
            found[key].update({name: row[name] for name in numbers})
            found[key]["entries"] = max(found[key]["entries"], row["entries"])
            found[key]["steps"] += sum(process.deep["steps"])
            found[key]["share"] += share * (row["hit_ns"] + row["miss_ns"]) / len(processes)
    return sorted(
        (_cache(place, kind, seen, stages[kind, place] or None) for (kind, place), seen in found.items()),
        key=lambda cache: (-cache.hits - cache.misses, cache.place.file, cache.place.line),
    )


def _cache(place: Place, kind: str, seen: Counter[str], stage: str | None) -> CacheUse:
    hit_us = seen["hit_ns"] / seen["hits"] / 1e3 if seen["hits"] else None
    miss_us = seen["miss_ns"] / seen["misses"] / 1e3 if seen["misses"] else None
    return CacheUse(
        place=place,
        kind=kind,
        hits=seen["hits"],
        misses=seen["misses"],
        clears=seen["clears"],
        entries=seen["entries"],
        key_us=hit_us,
        value_us=None if miss_us is None else max(0.0, miss_us - (hit_us or 0.0)),
        share=min(1.0, seen["share"]),
        stage=stage,
        calls_per_env_step=(seen["hits"] + seen["misses"]) / seen["steps"] if seen["steps"] else None,
        repeated_misses=seen["repeated"],
    )
