"""The deep look of all processes together: how often, how dear, how often again with the same arguments.

A process saw *segments* of its loop: from beat to beat, a beat being the end of an environment step or of an
update. What it saw per segment of either kind, times how many of that kind there were, is the estimate; so it
does not matter that one kind was seen more often than the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from goldsplit.analyse.deep.caches import caches
from goldsplit.analyse.deep.looking_cost import slowdown, windows_ns
from goldsplit.analyse.deep.seen_segments import (
    ALL,
    best_mode,
    place_of,
    seen_ns,
    steps_of,
    weights,
    whole_ns,
)
from goldsplit.analyse.deep.sites import sites
from goldsplit.analyse.wall.causes import ThreadKey
from goldsplit.model.deep import DeepFunction, DeepLook
from goldsplit.model.finding import Place
from goldsplit.model.recording import ProcessRecord, Recording

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


def functions(processes: list[ProcessRecord]) -> list[DeepFunction]:
    """Every function that was seen, the dearest first."""
    found: dict[Place, _Totals] = defaultdict(_Totals)
    for process in processes:
        for row in process.deep["functions"]:
            _add(found[place_of(row["at"])], row, process)
    whole = sum(whole_ns(process, best_mode(process)) for process in processes) or 1.0
    rows = [_function(place, totals, whole) for place, totals in found.items()]
    return sorted(rows, key=lambda row: (-row.self_share, row.place.file, row.place.line))


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
        repeat_share=total_share * compared["repeat_ns"] / compared["ns"]
        if repeats and compared["ns"]
        else 0.0,
        distinct_results=totals.distinct_results,
        constant_result=constant,
        distinct_arguments=compared["distinct"],
        mutates=mutates,
        self_by_identity=totals.by_identity,
    )
