"""One of the report's tables as comma-separated values: raw figures; not measured: empty cell."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any

from goldsplit.model.finding import Finding
from goldsplit.model.profile import Hotspot, Lane, StageRow
from goldsplit.model.progress import Window
from goldsplit.model.report import Report, finite
from goldsplit.report.words import NO_STAGE, plain

Row = dict[str, Any]


class CsvRenderer:
    """Which table is chosen here; `render` takes data only."""

    def __init__(self, table: str = "stages") -> None:
        self.table = table

    def render(self, report: Report) -> str:
        """The table with a title line; just that line where there are no rows."""
        columns, rows = TABLES[self.table](report)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(map(cell, columns))
        for row in map(finite, rows):
            writer.writerow([cell(row.get(key)) for key in columns])
        return text.getvalue()


def stages(report: Report) -> tuple[list[str], list[Row]]:
    """Every stage, then what no stage explains."""
    rest = report.profile.unattributed
    rows = [asdict(row) for row in report.profile.stages]
    rows.append({"stage": NO_STAGE, "category": "other", "source": "", **asdict(rest)})
    return columns_of(StageRow), rows


def hotspots(report: Report) -> tuple[list[str], list[Row]]:
    return columns_of(Hotspot), [asdict(spot) for spot in report.profile.hotspots]


def lanes(report: Report) -> tuple[list[str], list[Row]]:
    """Threads and processes; their stages as one cell."""
    rows = []
    for lane in report.profile.lanes:
        inside = "; ".join(f"{entry.stage} {entry.share:.4f}" for entry in lane.stages)
        rows.append(asdict(lane) | {"stages": inside})
    return columns_of(Lane), rows


def windows(report: Report) -> tuple[list[str], list[Row]]:
    """Windows of the run, one column per stage."""
    found = report.profile.throughput.windows
    names = sorted({stage for window in found for stage in window.stages})
    columns = [name for name in columns_of(Window) if name != "stages"]
    rows = []
    for window in found:
        row = asdict(window)
        inside = row.pop("stages")
        rows.append(row | {f"share:{stage}": share for stage, share in inside.items()})
    return [*columns, *(f"share:{name}" for name in names)], rows


def findings(report: Report) -> tuple[list[str], list[Row]]:
    """Diagnoses; the evidence as JSON in one cell."""
    columns = [name for name in columns_of(Finding) if name != "where"]
    columns[2:2] = ["file", "line", "function"]
    rows = []
    for finding in report.findings:
        row = asdict(finding)
        place = row.pop("where") or {}
        row["evidence"] = json.dumps(finite(row["evidence"]), default=str)
        row["saves"] = json.dumps(finite(row["saves"]))
        row["overlays"] = " ".join(row["overlays"])
        rows.append(row | place)
    return columns, rows


def cell(value: Any) -> Any:
    """A value as it is written; a terminal that a table is printed on would obey control characters."""
    if isinstance(value, str):
        return plain(value)
    return "" if value is None else value


def columns_of(record: type[Any]) -> list[str]:
    """A record's fields, in order."""
    return [field.name for field in fields(record)]


TABLES: dict[str, Callable[[Report], tuple[list[str], list[Row]]]] = {
    "stages": stages,
    "hotspots": hotspots,
    "lanes": lanes,
    "windows": windows,
    "findings": findings,
}
