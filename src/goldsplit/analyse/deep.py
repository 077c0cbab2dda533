"""The deep look of all processes together: how often, how dear, how often again with the same arguments.

A process saw *segments* of its loop: from beat to beat, a beat being the end of an environment step or of an
update. What it saw per segment of either kind, times how many of that kind there were, is the estimate; so it
does not matter that one kind was seen more often than the other.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from goldsplit.analyse.causes import ThreadKey
from goldsplit.analyse.deep_cost import slowdown, windows_ns
from goldsplit.model.deep import CacheUse, DeepFunction, DeepLook, Site
from goldsplit.model.finding import Place
from goldsplit.model.recording import ProcessRecord, Recording

_PARTS = re.compile(r"(\.<locals>)?\.<(list|set|dict|gen)(comp|expr)>")
ALL, CHOSEN = 0, 1
CALLS, OWN_NS, TOTAL_NS, OWN_EVENTS, TOTAL_EVENTS = 0, 1, 2, 3, 4


@dataclass(slots=True)
class _Totals:
    """One function over all processes; times and `expected_calls` are for all segments of the windows."""

    kind: str = "function"
    stages: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    expected_calls: float = 0.0
    own_ns: float = 0.0
    total_ns: float = 0.0
    env_steps: float = 0.0
    compared: Counter[str] = field(default_factory=Counter)
    results: set[str] = field(default_factory=set)
    distinct_results: int = 0
    by_identity: bool = False


def deep_look(recording: Recording, driver: ThreadKey) -> DeepLook | None:
    """What the windows of a run say; None if there were none."""
    looked = [process for process in recording.processes if process.deep]
    if not looked:
        return None
    slow = slowdown(looked)
    seconds = sum(sum(seen_ns(process, best_mode(process))) for process in looked) / 1e9
    own = [process for process in looked if process.pid == driver[0]] or looked
    run = recording.run
    wall_ns = (run.get("end_ns") or looked[-1].deep["end"]) - run.get("start_ns", looked[0].start_ns)
    cost_ns = windows_ns(own) * (1.0 - 1.0 / slow) if slow else None
    return DeepLook(
        windows=max(len(process.deep_windows) for process in looked),
        seconds=seconds * (slow or 1.0),
        env_steps=round(sum(process.deep["steps"][best_mode(process)] for process in looked)),
        slowdown=slow,
        run_share=cost_ns / wall_ns if cost_ns is not None and wall_ns > 0 else None,
        functions=functions(looked),
        sites=sites(looked),
        caches=caches(looked),
        extra={"window_seconds": windows_ns(own) / 1e9, "seen_seconds": seconds},
    )


def weights(process: ProcessRecord, mode: int) -> tuple[float, float]:
    """How many segments of either kind one seen segment of that kind stands for."""
    step, update = (
        beats / segments if segments else 0.0
        for beats, segments in zip(process.deep["beats"], process.deep["segments"][mode], strict=True)
    )
    return step, update


def seen_ns(process: ProcessRecord, mode: int) -> list[float]:
    """The time of the segments that were seen, without the cost of looking."""
    rows = zip(process.deep["seen"][mode], process.deep["events"][mode], strict=True)
    return [max(0.0, ns - process.deep["event_ns"] * events) for ns, events in rows]


def whole_ns(process: ProcessRecord, mode: int) -> float:
    """The time of all segments in a process's windows, as one of the two ways of looking saw it."""
    return sum(
        weight * ns for weight, ns in zip(weights(process, mode), seen_ns(process, mode), strict=True)
    )


def best_mode(process: ProcessRecord) -> int:
    """Which way of looking saw more."""
    return CHOSEN if sum(process.deep["segments"][CHOSEN]) >= sum(process.deep["segments"][ALL]) else ALL


def steps_of(process: ProcessRecord, mode: int) -> float:
    """Environment steps that a process made in its windows."""
    return float(weights(process, mode)[0] * process.deep["steps"][mode])


def functions(processes: list[ProcessRecord]) -> list[DeepFunction]:
    """Every function that was seen, the dearest first."""
    found: dict[Place, _Totals] = defaultdict(_Totals)
    for process in processes:
        for row in process.deep["functions"]:
            _add(found[place_of(row["at"])], row, process)
    whole = sum(whole_ns(process, best_mode(process)) for process in processes) or 1.0
    rows = [_function(place, totals, whole) for place, totals in found.items()]
    return sorted(rows, key=lambda row: (-row.self_share, row.place.file, row.place.line))


def place_of(at: list[Any]) -> Place:
    """A code object's file, first line and name."""
    return Place(str(at[0]), int(at[1]), _PARTS.sub("", str(at[2])).replace("<locals>.", ""))


def _add(totals: _Totals, row: dict[str, Any], process: ProcessRecord) -> None:
    """Add what one process saw; by wrappers or the like where it was chosen for that, else by seeing all."""
    best = best_mode(process)
    mode = best if row["chosen"] else ALL
    event_ns = process.deep["event_ns"]
    scale = whole_ns(process, best) / (whole_ns(process, mode) or 1.0)
    totals.kind = row["kind"]
    totals.env_steps += steps_of(process, mode)
    for weight, booked in zip(weights(process, mode), row["booked"][mode], strict=True):
        totals.calls += booked[CALLS]
        totals.expected_calls += weight * booked[CALLS]
        totals.own_ns += scale * weight * max(0.0, booked[OWN_NS] - event_ns * booked[OWN_EVENTS])
        totals.total_ns += scale * weight * max(0.0, booked[TOTAL_NS] - event_ns * booked[TOTAL_EVENTS])
    totals.stages[row["stage"]] += 1 + round(totals.total_ns)
    compared = row.get("compared")
    if compared is not None:
        numbers = ("calls", "ns", "repeats", "in_step", "differing", "repeat_ns", "distinct", "mutated")
        totals.compared.update({name: compared[name] for name in numbers})
        totals.results.add(compared["result"])
        totals.distinct_results = max(totals.distinct_results, compared["results"])
        totals.by_identity = totals.by_identity or compared["by_identity"]


def _function(place: Place, totals: _Totals, whole_ns: float) -> DeepFunction:
    compared = totals.compared
    total_share = min(1.0, totals.total_ns / whole_ns)
    constant = next(iter(totals.results)) if len(totals.results) == totals.distinct_results == 1 else None
    mutates = compared["mutated"]
    if mutates and constant != "None":
        constant = None  # called for an effect: what it answers is no check
    repeats = 0 if mutates else compared["repeats"]
    return DeepFunction(
        place=place,
        stage=totals.stages.most_common(1)[0][0] or None,
        kind=totals.kind,
        calls=totals.calls,
        calls_per_env_step=totals.expected_calls / totals.env_steps if totals.env_steps else None,
        self_share=min(1.0, totals.own_ns / whole_ns),
        total_share=total_share,
        compared=compared["calls"],
        repeats=repeats,
        repeats_in_step=0 if mutates else compared["in_step"],
        differing=compared["differing"],
        repeat_share=total_share * compared["repeat_ns"] / compared["ns"] if repeats and compared["ns"] else 0.0,
        distinct_results=totals.distinct_results,
        constant_result=constant,
        distinct_arguments=compared["distinct"],
        mutates=mutates,
        self_by_identity=totals.by_identity,
    )


@dataclass(slots=True)
class _Line:
    """One call site over all processes."""

    calls: float = 0.0
    expected_calls: float = 0.0
    expected_ns: float = 0.0
    env_steps: float = 0.0
    compared: int = 0
    distinct: int = 0
    amount: float = 0.0
    amounts: int = 0
    detail: str = ""
    stages: Counter[str] = field(default_factory=Counter)


def sites(processes: list[ProcessRecord]) -> list[Site]:
    """Every line that was seen to call something worth knowing, the dearest first."""
    found: dict[tuple[str, str, Place], _Line] = defaultdict(_Line)
    for process in processes:
        for row in process.deep.get("sites", ()):
            line = found[row["kind"], row["callee"], place_of(row["at"])]
            line.env_steps += steps_of(process, best_mode(process))
            _add_line(line, row, process)
    whole = sum(whole_ns(process, best_mode(process)) for process in processes) or 1.0
    rows = [
        Site(
            kind=kind,
            callee=callee,
            place=place,
            stage=line.stages.most_common(1)[0][0] or None,
            calls=round(line.calls),
            calls_per_env_step=line.expected_calls / line.env_steps if line.env_steps else None,
            share=min(1.0, line.expected_ns / whole),
            distinct=line.distinct if line.compared else None,
            compared=line.compared,
            amount=line.amount / line.amounts if line.amounts else None,
            detail=line.detail,
        )
        for (kind, callee, place), line in found.items()
    ]
    return sorted(rows, key=lambda row: (-(row.share or 0.0), row.place.file, row.place.line, row.callee))


def _add_line(line: _Line, row: dict[str, Any], process: ProcessRecord) -> None:
    """Lines are seen in all segments; `calls` are as many as in those that the functions' figures are from."""
    deep = process.deep
    for kind, (calls, raw_ns, events) in enumerate(row["booked"]):
        seen = sum(segments[kind] for segments in deep["segments"][: 1 if row["only_all"] else 2])
        ns = max(0.0, raw_ns - deep["event_ns"] * events)
        if seen:
            line.calls += calls * deep["segments"][best_mode(process)][kind] / seen
            line.expected_calls += calls * deep["beats"][kind] / seen
            line.expected_ns += ns * deep["beats"][kind] / seen
            line.stages[row["stage"]] += 1 + round(ns)
    line.compared += row["compared"]
    line.distinct = max(line.distinct, row["distinct"])
    line.amount += row["amount"]
    line.amounts += row["amounts"]
    line.detail = line.detail or row["detail"]


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
