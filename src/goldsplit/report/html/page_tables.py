"""The tables of the page: stages, windows, threads, hot spots, flame boxes, deep look."""

from __future__ import annotations

from goldsplit.model.deep import DeepLook
from goldsplit.model.detail import Detail, StageWindow
from goldsplit.model.profile import Hotspot, Lane, Profile
from goldsplit.report import columns
from goldsplit.report.html.table import Table, lay_out, without_empty_columns

MOST_BOXES = 40
MOST_DEEP_ROWS = 40


def stage_table(profile: Profile, paint: dict[str, str]) -> Table:
    """All stages, then what no stage explains."""
    caption = "Wall time of the training loop by stage, 100 % in all"
    rows = columns.stage_rows(profile)
    return without_empty_columns(
        lay_out(caption, columns.STAGES, rows, paint=lambda row: paint.get(row.stage, "c-none s0"))
    )


def windows_table(windows: list[StageWindow], order: list[str]) -> Table:
    """The chart over time as figures."""
    shown = [stage for stage in order if any(window.stages.get(stage, 0) >= 0.005 for window in windows)]
    return lay_out("Stage shares and speed, window by window", columns.window_columns(shown), windows)


def lane_table(lanes: list[Lane]) -> Table:
    """Threads and processes."""
    caption = "Threads and processes; shares of the training loop, never added to wall time"
    return lay_out(caption, columns.LANES, lanes, full_bar=1.0)


def hotspot_table(spots: list[Hotspot]) -> Table:
    """The hottest functions, and whose they are."""
    caption = "Functions by their share of wall time"
    return without_empty_columns(lay_out(caption, columns.HOTSPOTS, spots, kind=lambda spot: spot.kind))


def flame_table(detail: Detail) -> Table:
    """The flame view of the whole run as figures: its widest boxes."""
    nodes = detail.flames[0].nodes if detail.flames else []
    widest = sorted(nodes, key=lambda node: -node.weight)[:MOST_BOXES]
    boxes = [(detail.frames[node.frame], node) for node in widest]
    return lay_out("The widest boxes of the whole run, share of wall time", columns.BOXES, boxes)


def deep_tables(deep: DeepLook | None) -> list[Table]:
    """What the deep look saw; no table that would be empty."""
    if deep is None:
        return []
    functions = deep.functions[:MOST_DEEP_ROWS]
    sites, caches = deep.sites[:MOST_DEEP_ROWS], deep.caches[:MOST_DEEP_ROWS]
    tables = (
        lay_out("Your own functions, every call seen", columns.DEEP_FUNCTIONS, functions),
        lay_out("Lines that call something worth knowing about", columns.DEEP_SITES, sites),
        lay_out("Your own caches", columns.DEEP_CACHES, caches),
    )
    return [table for table in tables if table.rows]
