"""Functions that were watched for the whole run, over all processes: counts are exact, times of all calls or
of the timed ones, comparisons of a part of the calls."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from goldsplit.analyse.deep.compared_calls import Compared, mean_size, shared_argument
from goldsplit.model.deep import LEAST_ENV_STEPS, DeepFunction
from goldsplit.model.deep_files.deep_record import WatchedFunction, WatchedRecord
from goldsplit.model.finding import Place

#: A process that made less than this part of the calls of the busiest one does not count for steps: it has
#: the function, but its steps are made elsewhere.
LEAST_PART = 0.01
MOST_CALLERS = 5


@dataclass(slots=True)
class _Totals:
    """One function over all processes."""

    rows: list[tuple[WatchedFunction, WatchedRecord]] = field(default_factory=list)
    compared: Compared = field(default_factory=Compared)
    callers: Counter[Place] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)


def watched_functions(records: Sequence[WatchedRecord]) -> list[DeepFunction]:
    """Every function that was watched and called."""
    found: dict[Place, _Totals] = defaultdict(_Totals)
    for record in records:
        for row in record.functions:
            if row.calls:
                _add(found[row.place], row, record)
    whole = sum(map(watched_ns, records)) or 1
    return [_function(place, totals, whole) for place, totals in found.items()]


def watched_ns(record: WatchedRecord) -> int:
    """How long a process was watched, in all threads that step."""
    return max(0, record.end_ns - record.start_ns) * record.threads


def seen_steps(records: Sequence[WatchedRecord]) -> float:
    """Env steps behind the figures, at most; steps that a driver and its workers both count, counted once."""
    own = sum(max((row.env_steps[0] for row in record.functions), default=0.0) for record in records)
    vector = sum(max((row.env_steps[1] for row in record.functions), default=0.0) for record in records)
    return max(own, vector)


def _add(totals: _Totals, row: WatchedFunction, record: WatchedRecord) -> None:
    totals.rows.append((row, record))
    totals.stages[row.stage] += row.calls
    totals.callers.update(dict(row.callers))
    if row.compared is not None:
        totals.compared.add(row.compared)


def _function(place: Place, totals: _Totals, whole_ns: int) -> DeepFunction:
    compared = totals.compared
    rows = [row for row, _ in totals.rows]
    calls, timed = sum(row.calls for row in rows), sum(row.timed_calls for row in rows)
    total_share, own_share = (
        min(1.0, sum(_whole_ns(row, record, ns(row)) for row, record in totals.rows) / whole_ns)
        for ns in (_total_ns, _own_ns)
    )
    shared = shared_argument(compared.groups)
    steps = _steps(rows)
    repeats = 0 if compared.mutated else compared.repeats
    looked_at = sum(totals.callers.values())
    return DeepFunction(
        place=place,
        stage=totals.stages.most_common(1)[0][0] or None,
        kind=rows[0].kind,
        calls=calls,
        calls_per_env_step=_calls_of(rows) / steps if steps >= LEAST_ENV_STEPS else None,
        self_share=min(total_share, own_share),
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
        inclusive_us=sum(row.total_ns for row in rows) / timed / 1e3 if timed else None,
        self_us=sum(row.own_ns for row in rows) / timed / 1e3 if timed else None,
        callers=tuple((who, n / looked_at) for who, n in totals.callers.most_common(MOST_CALLERS)),
        shared_argument=None if shared is None else shared.place,
        groups=0 if shared is None else shared.groups,
        mean_group=0.0 if shared is None else mean_size(shared),
        hashable=compared.hashable,
        impure=compared.impure,
        env_steps=steps,
        arguments=tuple(group for _, group in sorted(compared.groups.items()) if group.groups),
    )


def _total_ns(row: WatchedFunction) -> int:
    return row.total_ns


def _own_ns(row: WatchedFunction) -> int:
    return row.own_ns


def _whole_ns(row: WatchedFunction, record: WatchedRecord, timed_ns: int) -> float:
    """What all calls of a process took, from those that were timed, in all the time that it was watched."""
    if not row.timed_calls or not row.watched_ns:
        return 0.0
    period = max(1.0, (record.end_ns - record.start_ns) / row.watched_ns)
    return timed_ns / row.timed_calls * row.calls * period


def _main_rows(rows: list[WatchedFunction]) -> list[WatchedFunction]:
    most = max(row.calls for row in rows)
    return [row for row in rows if row.calls >= LEAST_PART * most]


def _calls_of(rows: list[WatchedFunction]) -> int:
    return sum(row.calls for row in _main_rows(rows))


def _steps(rows: list[WatchedFunction]) -> float:
    """Env steps while the calls were counted: a driver's vector steps are its workers' own ones again."""
    main = _main_rows(rows)
    return max(sum(row.env_steps[0] for row in main), sum(row.env_steps[1] for row in main))
