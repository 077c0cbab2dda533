"""The panel of `--live`: stage split, hottest functions, lanes, in as many rows as there are."""

from __future__ import annotations

import io

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from goldsplit.model.profile import Hotspot, Lane, Profile
from goldsplit.model.report import Report
from goldsplit.report import words
from goldsplit.report.column import On
from goldsplit.report.columns import LANES
from goldsplit.report.terminal_tables import bar

MOST_STAGES, MOST_LANES = 8, 6
BAR_WIDTH, NAME_WIDTH = 10, 20


def panel_lines(report: Report, columns: int, rows: int) -> list[str]:
    """The panel as lines of text with colours, not wider and not higher than asked."""
    profile = report.profile
    inside = rows - 2
    lanes = min(len(profile.lanes), MOST_LANES, max(0, inside - 6))
    stages = max(1, min(MOST_STAGES, inside - 1 - (lanes + 1 if lanes else 0)))
    body: list[RenderableType] = [_upper(profile, stages)]
    if lanes:
        body.append(_lanes(profile.lanes[:lanes]))
    whole = Panel(Group(*body), title=_title(profile), title_align="left", border_style="dim")
    console = Console(
        file=io.StringIO(), width=columns, force_terminal=True, color_system="standard", highlight=False
    )
    with console.capture() as captured:
        console.print(whole)
    return captured.get().splitlines()[:rows]


def _title(profile: Profile) -> Text:
    seconds = f"the last {words.seconds(profile.phases.steady_seconds)}" if profile.stages else "so far"
    explained = words.share(profile.trust.attributed_share)
    return Text(f"{seconds}, {explained} of wall time explained", style="dim")


def _upper(profile: Profile, most: int) -> Table:
    """Stages on the left, hottest functions on the right."""
    grid = Table.grid(expand=True, padding=(0, 2))
    grid.add_column(ratio=1)
    grid.add_column(ratio=1)
    grid.add_row(_stages(profile, most), _hotspots(profile.hotspots[:most]))
    return grid


def _stages(profile: Profile, most: int) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("stage", no_wrap=True, max_width=16)
    table.add_column("", width=BAR_WIDTH, style="green")
    table.add_column("share", justify="right", no_wrap=True)
    longest = max([0.01, *(row.wall_share for row in profile.stages)])
    for row in profile.stages[:most]:
        table.add_row(row.stage, bar(row.wall_share / longest, BAR_WIDTH), words.share(row.wall_share))
    if not profile.stages:
        table.add_row("no stage yet", "", words.DASH)
    return table


def _hotspots(spots: list[Hotspot]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim", expand=True)
    table.add_column("hottest functions", no_wrap=True, ratio=1)
    table.add_column("self", justify="right", no_wrap=True)
    for spot in spots:
        name = Text(spot.function, style="bold" if spot.kind == "yours" else "", overflow="ellipsis")
        table.add_row(name, words.share(spot.self_share))
    if not spots:
        table.add_row("no stacks yet", words.DASH)
    return table


def _lanes(lanes: list[Lane]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim", expand=True)
    columns = [column for column in LANES if On.PANEL in column.on]
    for column in columns:
        side: JustifyMethod = "right" if column.right else "left"
        width = NAME_WIDTH if column is columns[0] else None
        table.add_column(
            column.title, justify=side, no_wrap=True, width=width, ratio=int(column.fills) or None
        )
    for lane in lanes:
        table.add_row(*(Text(column.text(lane), overflow="ellipsis") for column in columns))
    return table
