"""Read what the deep look saw in a process. A malformed line raises one of DAMAGE."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from goldsplit.model.deep_files.deep_record import (
    ArgumentGroup,
    CallTotals,
    ComparedCalls,
    DeepRecord,
    LineTotals,
    SeenCache,
    SeenFunction,
    SeenLine,
    WatchedFunction,
    WatchedRecord,
)
from goldsplit.model.deep_files.deep_wire import Deep
from goldsplit.model.finding import Place
from goldsplit.model.wire import Key
from goldsplit.store.checked.figures import count, real, whole
from goldsplit.store.checked.json_lines import DAMAGE

#: Comprehensions and generators in a qualified name: they count for the function that they are in.
_INNER_CODE = re.compile(r"(\.<locals>)?\.<(list|set|dict|gen)(comp|expr)>")
#: Segments and their steps are cut where a window ends; a part smaller than this is damage.
_LEAST_PART = 1e-9

Row = dict[str, Any]
Value = TypeVar("Value")


def read_deep_line(line: Row) -> DeepRecord:
    """One line: everything up to the end of its window."""
    return DeepRecord(
        end_ns=whole(line[Key.END]),
        beats=_pair(line[Deep.BEATS], count),
        segments=_pair(line[Deep.SEGMENTS], lambda row: _pair(row, _parts)),
        seen_ns=_pair(line[Deep.SEEN], lambda row: _pair(row, whole)),
        events=_pair(line[Deep.EVENTS], lambda row: _pair(row, count)),
        event_ns=real(line[Deep.EVENT_NS]),
        env_steps=_pair(line[Deep.STEPS], _parts),
        functions=tuple(map(_function, line[Deep.FUNCTIONS])),
        caches=tuple(map(_cache, line.get(Deep.CACHES, ()))),
        lines=tuple(map(_line, line.get(Deep.SITES, ()))),
    )


def read_watched_line(line: Row) -> WatchedRecord:
    """One line: the watched functions up to its end. A row that cannot be read costs itself only."""
    functions, damaged = [], 0
    for row in line[Deep.FUNCTIONS]:
        try:
            functions.append(_watched(row))
        except DAMAGE:
            damaged += 1
    return WatchedRecord(
        start_ns=whole(line[Key.TIME]),
        end_ns=whole(line[Key.END]),
        spent_ns=count(line[Deep.SPENT]),
        threads=max(1, count(line[Deep.THREADS])),
        functions=tuple(functions),
        damaged=damaged,
    )


def _watched(row: Row) -> WatchedFunction:
    compared = row.get(Deep.COMPARED)
    timed_calls, total_ns, own_ns = row[Deep.TIMED]
    return WatchedFunction(
        place=place_of(row[Deep.AT]),
        kind=str(row[Deep.KIND]),
        stage=str(row[Deep.STAGE]),
        watched_ns=count(row[Deep.NS]),
        env_steps=_pair(row[Deep.STEPS], lambda steps: max(0.0, real(steps))),
        calls=count(row[Deep.CALLS]),
        timed_calls=count(timed_calls),
        total_ns=max(0, whole(total_ns)),
        own_ns=max(0, whole(own_ns)),
        callers=tuple((place_of(at), count(calls)) for at, calls in row[Deep.CALLERS]),
        compared=None if compared is None else _compared(compared),
    )


def _pair(row: Any, read: Callable[[Any], Value]) -> tuple[Value, Value]:
    first, second = row
    return read(first), read(second)


def _parts(value: Any) -> float:
    number = real(value)
    if number and number < _LEAST_PART:
        raise ValueError(f"{number} is no part of a segment")
    return number


def _function(row: Row) -> SeenFunction:
    compared = row.get(Deep.COMPARED)
    return SeenFunction(
        place=place_of(row[Deep.AT]),
        kind=str(row[Deep.KIND]),
        stage=str(row[Deep.STAGE]),
        chosen=bool(row[Deep.CHOSEN]),
        totals=_pair(row[Deep.TOTALS], lambda by_beat: _pair(by_beat, _call_totals)),
        compared=None if compared is None else _compared(compared),
    )


def _call_totals(row: Any) -> CallTotals:
    calls, own_ns, total_ns, own_events, total_events = map(whole, row)
    return CallTotals(calls, own_ns, total_ns, own_events, total_events)


def _compared(row: Row) -> ComparedCalls:
    return ComparedCalls(
        calls=count(row[Deep.CALLS]),
        ns=whole(row[Deep.NS]),
        repeats=count(row[Deep.REPEATS]),
        repeats_in_step=count(row[Deep.IN_STEP]),
        differing=count(row[Deep.DIFFERING]),
        repeat_ns=whole(row[Deep.REPEAT_NS]),
        distinct=count(row[Deep.DISTINCT]),
        distinct_results=count(row[Deep.RESULTS]),
        result=str(row[Deep.RESULT]),
        mutated=count(row[Deep.MUTATED]),
        by_identity=bool(row[Deep.BY_IDENTITY]),
        hashable=None if (hashable := row.get(Deep.HASHABLE)) is None else bool(hashable),
        groups=tuple(ArgumentGroup(*map(count, group)) for group in row.get(Deep.GROUPS, ())),
    )


def _cache(row: Row) -> SeenCache:
    return SeenCache(
        place=place_of(row[Deep.AT]),
        kind=str(row[Deep.KIND]),
        stage=str(row[Deep.STAGE]),
        hits=count(row[Deep.HITS]),
        misses=count(row[Deep.MISSES]),
        clears=count(row[Deep.CLEARS]),
        entries=count(row[Deep.ENTRIES]),
        hit_ns=whole(row[Deep.HIT_NS]),
        miss_ns=whole(row[Deep.MISS_NS]),
        repeated=count(row[Deep.REPEATED]),
    )


def _line(row: Row) -> SeenLine:
    return SeenLine(
        place=place_of(row[Deep.AT]),
        kind=str(row[Deep.KIND]),
        callee=str(row[Deep.CALLEE]),
        stage=str(row[Deep.STAGE]),
        totals=_pair(row[Deep.TOTALS], _line_totals),
        compared=count(row[Deep.COMPARED]),
        distinct=count(row[Deep.DISTINCT]),
        amount=real(row[Deep.AMOUNT]),
        amounts=count(row[Deep.AMOUNTS]),
        detail=str(row[Deep.DETAIL]),
        only_all=bool(row[Deep.ONLY_ALL]),
    )


def _line_totals(row: Any) -> LineTotals:
    calls, ns, events = map(whole, row)
    return LineTotals(calls, ns, events)


def place_of(at: Any) -> Place:
    """A code object's file, first line and name."""
    file, line, name = at
    return Place(str(file), whole(line), _INNER_CODE.sub("", str(name)).replace("<locals>.", ""))
