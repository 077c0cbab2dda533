"""The deep look of all processes together: how often, how expensive, how often with the same arguments.

A process saw *segments* of its loop: from beat to beat, a beat being the end of an environment step or of an
update. What it saw per segment of either kind, times how many of that kind there were, is the estimate; so it
does not matter that one kind was seen more often than the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from goldsplit.analyse.deep.caches import caches
from goldsplit.analyse.deep.looking_cost import slowdown, windows_ns
from goldsplit.analyse.deep.seen_segments import best_mode, seen_ns, steps_of, weights, whole_ns
from goldsplit.analyse.deep.sites import sites
from goldsplit.model.deep import DeepFunction, DeepLook
from goldsplit.model.deep_record import ComparedCalls, DeepRecord, SeenFunction
from goldsplit.model.finding import Place
from goldsplit.model.recording import Recording, ThreadKey
from goldsplit.model.wire import ALL, Header


@dataclass(slots=True)
class _Compared:
    """What comparing the calls of one function has shown, over all processes."""

    calls: int = 0
    ns: int = 0
    repeats: int = 0
    repeats_in_step: int = 0
    differing: int = 0
    repeat_ns: int = 0
    distinct: int = 0
    mutated: int = 0
    results: set[str] = field(default_factory=set)
    distinct_results: int = 0
    by_identity: bool = False

    def add(self, seen: ComparedCalls) -> None:
        """Add what one process saw."""
        self.calls += seen.calls
        self.ns += seen.ns
        self.repeats += seen.repeats
        self.repeats_in_step += seen.repeats_in_step
        self.differing += seen.differing
        self.repeat_ns += seen.repeat_ns
        self.distinct += seen.distinct
        self.mutated += seen.mutated
        self.results.add(seen.result)
        self.distinct_results = max(self.distinct_results, seen.distinct_results)
        self.by_identity = self.by_identity or seen.by_identity


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
    compared: _Compared = field(default_factory=_Compared)


def deep_look(recording: Recording, driver: ThreadKey) -> DeepLook | None:
    """What the windows of a run say; None if there were none."""
    looked = [process for process in recording.processes if process.deep is not None]
    records = [process.deep for process in looked if process.deep is not None]
    if not looked:
        return None
    slow = slowdown(looked)
    seconds = sum(sum(seen_ns(deep, best_mode(deep))) for deep in records) / 1e9
    own = [process for process in looked if process.id == driver.process] or looked
    start_ns = recording.run.get(Header.START_NS, looked[0].start_ns)
    wall_ns = (recording.run.get(Header.END_NS) or records[-1].end_ns) - start_ns
    cost_ns = windows_ns(own) * (1.0 - 1.0 / slow) if slow else None
    return DeepLook(
        windows=max(len(process.deep_windows) for process in looked),
        seconds=seconds * (slow or 1.0),
        env_steps=round(sum(deep.env_steps[best_mode(deep)] for deep in records)),
        slowdown=slow,
        run_share=cost_ns / wall_ns if cost_ns is not None and wall_ns > 0 else None,
        functions=functions(records),
        sites=sites(records),
        caches=caches(records),
        extra={"window_seconds": windows_ns(own) / 1e9, "seen_seconds": seconds},
    )


def functions(records: Sequence[DeepRecord]) -> list[DeepFunction]:
    """Every function that was seen, the most expensive first."""
    found: dict[Place, _Totals] = defaultdict(_Totals)
    for deep in records:
        for row in deep.functions:
            _add(found[row.place], row, deep)
    whole = sum(whole_ns(deep, best_mode(deep)) for deep in records) or 1.0
    rows = [_function(place, totals, whole) for place, totals in found.items()]
    return sorted(rows, key=lambda row: (-row.self_share, row.place.file, row.place.line))


def _add(totals: _Totals, row: SeenFunction, deep: DeepRecord) -> None:
    """Add what one process saw: from the kind of bursts that saw more, where both saw the function."""
    best = best_mode(deep)
    mode = best if row.chosen else ALL
    scale = whole_ns(deep, best) / (whole_ns(deep, mode) or 1.0)
    totals.kind = row.kind
    totals.env_steps += steps_of(deep, mode)
    for weight, seen in zip(weights(deep, mode), row.totals[mode], strict=True):
        totals.calls += seen.calls
        totals.expected_calls += weight * seen.calls
        totals.own_ns += scale * weight * max(0.0, seen.own_ns - deep.event_ns * seen.own_events)
        totals.total_ns += scale * weight * max(0.0, seen.total_ns - deep.event_ns * seen.total_events)
    totals.stages[row.stage] += 1 + round(totals.total_ns)
    if row.compared is not None:
        totals.compared.add(row.compared)


def _function(place: Place, totals: _Totals, whole_ns: float) -> DeepFunction:
    compared = totals.compared
    total_share = min(1.0, totals.total_ns / whole_ns)
    same = len(compared.results) == compared.distinct_results == 1
    constant = next(iter(compared.results)) if same else None
    mutates = compared.mutated
    if mutates and constant != "None":
        constant = None  # called for an effect: that it always answers the same is no fault
    repeats = 0 if mutates else compared.repeats
    return DeepFunction(
        place=place,
        stage=totals.stages.most_common(1)[0][0] or None,
        kind=totals.kind,
        calls=totals.calls,
        calls_per_env_step=totals.expected_calls / totals.env_steps if totals.env_steps else None,
        self_share=min(1.0, totals.own_ns / whole_ns),
        total_share=total_share,
        compared=compared.calls,
        repeats=repeats,
        repeats_in_step=0 if mutates else compared.repeats_in_step,
        differing=compared.differing,
        repeat_share=total_share * compared.repeat_ns / compared.ns if repeats and compared.ns else 0.0,
        distinct_results=compared.distinct_results,
        constant_result=constant,
        distinct_arguments=compared.distinct,
        mutates=mutates,
        self_by_identity=compared.by_identity,
    )
