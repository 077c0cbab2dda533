"""Single lines of user code that the deep look saw, over all processes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from goldsplit.analyse.deep.seen_segments import best_mode, steps_of, whole_ns
from goldsplit.model.deep import LEAST_ENV_STEPS, Site
from goldsplit.model.deep_files.deep_record import DeepRecord, SeenLine
from goldsplit.model.finding import Place
from goldsplit.model.wire import ALL


@dataclass(slots=True)
class _Line:
    """One call site over all processes."""

    calls: float = 0.0
    expected_calls: float = 0.0
    expected_ns: float = 0.0
    env_steps: float = 0.0
    seen_steps: float = 0.0
    compared: int = 0
    distinct: int = 0
    amount: float = 0.0
    amounts: int = 0
    detail: str = ""
    stages: Counter[str] = field(default_factory=Counter)


def sites(records: Sequence[DeepRecord]) -> list[Site]:
    """Every line that was seen to call something worth knowing, the most expensive first."""
    found: dict[tuple[str, str, Place], _Line] = defaultdict(_Line)
    for deep in records:
        for row in deep.lines:
            line = found[row.kind, row.callee, row.place]
            line.env_steps += steps_of(deep, best_mode(deep))
            _add_line(line, row, deep)
    whole = sum(whole_ns(deep, best_mode(deep)) for deep in records) or 1.0
    rows = [
        Site(
            kind=kind,
            callee=callee,
            place=place,
            stage=line.stages.most_common(1)[0][0] or None,
            calls=round(line.calls),
            calls_per_env_step=line.expected_calls / line.env_steps
            if line.seen_steps >= LEAST_ENV_STEPS and line.env_steps
            else None,
            share=min(1.0, line.expected_ns / whole),
            distinct=line.distinct if line.compared else None,
            compared=line.compared,
            amount=line.amount / line.amounts if line.amounts else None,
            detail=line.detail,
        )
        for (kind, callee, place), line in found.items()
        if line.stages  # else every segment that it was seen in was too disturbed to count
    ]
    return sorted(rows, key=lambda row: (-(row.share or 0.0), row.place.file, row.place.line, row.callee))


def _add_line(line: _Line, row: SeenLine, deep: DeepRecord) -> None:
    """Lines are seen in all segments; `calls` are scaled to the segments that functions' figures are from."""
    segments = [deep.segments[ALL]] if row.only_all else deep.segments
    for kind, totals in enumerate(row.totals):
        seen = sum(by_kind[kind] for by_kind in segments)
        ns = max(0.0, totals.ns - deep.event_ns * totals.events)
        if seen:
            line.calls += totals.calls * deep.segments[best_mode(deep)][kind] / seen
            line.expected_calls += totals.calls * deep.beats[kind] / seen
            line.expected_ns += ns * deep.beats[kind] / seen
            line.stages[row.stage] += 1 + round(ns)
    line.seen_steps += deep.env_steps[ALL] if row.only_all else sum(deep.env_steps)
    line.compared += row.compared
    line.distinct = max(line.distinct, row.distinct)
    line.amount += row.amount
    line.amounts += row.amounts
    line.detail = line.detail or row.detail
