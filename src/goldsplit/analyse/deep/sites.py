"""Single lines of the user's code that the deep look saw, over all processes."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from goldsplit.analyse.deep.seen_segments import best_mode, place_of, steps_of, whole_ns
from goldsplit.model.deep import Site
from goldsplit.model.finding import Place
from goldsplit.model.recording import ProcessRecord


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
        if line.stages  # else no segment that it was seen in could be believed
    ]
    return sorted(rows, key=lambda row: (-(row.share or 0.0), row.place.file, row.place.line, row.callee))


def _add_line(line: _Line, row: dict[str, Any], process: ProcessRecord) -> None:
    """Lines are seen in all segments; `calls` are as many as in those that functions' figures are from."""
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
