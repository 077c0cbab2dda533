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
from goldsplit.analyse.deep.compared_calls import Compared
from goldsplit.analyse.deep.looking_cost import run_share, slowdown, stage_shares
from goldsplit.analyse.deep.seen_segments import best_mode, seen_ns, steps_of, weights, whole_ns
from goldsplit.analyse.deep.sites import sites
from goldsplit.analyse.deep.watched import seen_steps, watched_functions
from goldsplit.model.deep import LEAST_ENV_STEPS, DeepFunction, DeepLook
from goldsplit.model.deep_files.deep_record import DeepRecord, SeenFunction
from goldsplit.model.finding import Place
from goldsplit.model.recording import Recording, ThreadKey
from goldsplit.model.wire import ALL, Header


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
    seen_steps: float = 0.0
    compared: Compared = field(default_factory=Compared)


def deep_look(recording: Recording, driver: ThreadKey) -> DeepLook | None:
    """What the deep look of a run says; None if there was none."""
    looked = [process for process in recording.processes if process.deep is not None or process.watched]
    if not looked:
        return None
    records = [process.deep for process in looked if process.deep is not None]
    watched = [process.watched for process in looked if process.watched is not None]
    slow = slowdown(looked)
    own = [process for process in looked if process.id == driver.process] or looked
    wall_ns = max(1, run_ns(recording))
    seen = max((sum(seen_ns(deep, best_mode(deep))) for deep in records), default=0.0) * (slow or 1.0)
    longest = max((record.end_ns - record.start_ns for record in watched), default=0)
    of_windows, of_run = functions(records), watched_functions(watched)
    known = {function.place for function in of_run}
    both = of_run + [function for function in of_windows if function.place not in known]
    return DeepLook(
        windows=max(len(process.deep_windows) for process in looked),
        seconds=min(wall_ns, max(seen, longest)) / 1e9,
        env_steps=round(sum(deep.env_steps[best_mode(deep)] for deep in records)),
        slowdown=slow,
        run_share=run_share(own, slow, watched, wall_ns),
        functions=sorted(both, key=lambda row: (-row.self_share, row.place.file, row.place.line)),
        sites=sites(records),
        caches=caches(records, of_run),
        extra=stage_shares(looked) if watched else {},
        watched=len(of_run),
        watched_env_steps=round(seen_steps(watched)),
    )


def run_ns(recording: Recording) -> int:
    """How long the run took."""
    processes = recording.processes
    start = recording.run.get(Header.START_NS, processes[0].start_ns)
    ends = [process.deep.end_ns for process in processes if process.deep is not None]
    ends += [process.watched.end_ns for process in processes if process.watched is not None]
    return int((recording.run.get(Header.END_NS) or max(ends)) - start)


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
    totals.seen_steps += deep.env_steps[mode]
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
    repeats = 0 if compared.mutated else compared.repeats
    enough = totals.seen_steps >= LEAST_ENV_STEPS and totals.env_steps
    return DeepFunction(
        place=place,
        stage=totals.stages.most_common(1)[0][0] or None,
        kind=totals.kind,
        calls=totals.calls,
        calls_per_env_step=totals.expected_calls / totals.env_steps if enough else None,
        self_share=min(1.0, totals.own_ns / whole_ns),
        total_share=total_share,
        compared=compared.calls,
        repeats=repeats,
        repeats_in_step=0 if compared.mutated else compared.repeats_in_step,
        differing=compared.differing,
        repeat_share=total_share * compared.repeat_ns / compared.ns if repeats and compared.ns else 0.0,
        distinct_results=compared.distinct_results,
        constant_result=compared.constant,
        distinct_arguments=compared.distinct,
        mutates=compared.mutated,
        self_by_identity=compared.by_identity,
        inclusive_us=totals.total_ns / totals.expected_calls / 1e3 if totals.expected_calls else None,
        self_us=totals.own_ns / totals.expected_calls / 1e3 if totals.expected_calls else None,
        impure=compared.impure,
        env_steps=totals.seen_steps,
    )
