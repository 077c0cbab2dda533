"""The tables below the verdict: stages, threads and processes, hot spots. Plain text, fixed columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from goldsplit.model.profile import Hotspot, Lane, Profile
from goldsplit.report import words
from goldsplit.report.column import Column, On, T
from goldsplit.report.columns import HOTSPOTS, LANES, STAGES, stage_rows

MOST_LANES = 12
MOST_HOTSPOTS = 10
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def stage_table(profile: Profile, width: int) -> list[str]:
    """Every stage with its part of the wall time, then what no stage explains."""
    return lay_out(STAGES, stage_rows(profile), width)


def lane_table(lanes: list[Lane], width: int) -> list[str]:
    """One line per thread or process; on a wide terminal their names have more room."""
    names = replace(LANES[0], width=max(LANES[0].width, min(30, width - 65)))
    lines = lay_out((names, *LANES[1:]), lanes[:MOST_LANES], width)
    hidden = len(lanes) - MOST_LANES
    return [*lines, f"… and {hidden} more; --json has all of them"] if hidden > 0 else lines


def hotspot_table(spots: list[Hotspot], width: int) -> list[str]:
    """The hottest functions, whose they are, and how often they are called where that was counted."""
    return lay_out(HOTSPOTS, spots[:MOST_HOTSPOTS], width)


def lay_out(columns: Sequence[Column[T]], rows: Sequence[T], width: int) -> list[str]:
    """Title line and rows, without trailing blanks, as wide as `width` at most."""
    shown = fitting(columns, rows, width)
    widths = widths_of(shown, rows, width)
    full = [full_bar(column, rows) for column in shown]
    titles = [column.short or column.title for column in shown]
    texts = [[cell(*one, row) for one in zip(shown, widths, full, strict=True)] for row in rows]
    return [
        " ".join(
            text.rjust(size) if column.right else text.ljust(size)
            for column, size, text in zip(shown, widths, line, strict=True)
        ).rstrip()
        for line in (titles, *texts)
    ]


def cell(column: Column[T], width: int, full: float, row: T) -> str:
    """What a column shows of a row, not wider than `width`."""
    return bar(column.value(row) / full, width) if full else column.shorten(column.text(row), width)


def fitting(columns: Sequence[Column[T]], rows: Sequence[T], width: int) -> list[Column[T]]:
    """The columns that a terminal shows; those that can be spared are left out, the last one first."""
    shown = [
        column
        for column in columns
        if On.TERMINAL in column.on
        and not (column.if_measured and all(column.text(row) == words.DASH for row in rows))
    ]
    spare = [column for column in shown if column.spare]
    while spare and sum(column.width + 1 for column in shown) - 1 > width:
        shown.remove(spare.pop())
    return shown


def widths_of(columns: Sequence[Column[T]], rows: Sequence[T], width: int) -> list[int]:
    """Every column's width: first those grow whose texts need it, then some fill what is left."""
    widths = [column.width for column in columns]
    left = width - sum(widths) - len(columns) + 1
    for place, column in enumerate(columns):
        if column.most and not column.fills:
            wanted = max((len(column.text(row)) for row in rows), default=0)
            grown = max(0, min(left, min(wanted, column.most) - column.width))
            widths[place] += grown
            left -= grown
    filling = [place for place, column in enumerate(columns) if column.fills]
    for done, place in enumerate(filling):
        grown = max(0, left // (len(filling) - done))
        if columns[place].most:
            grown = min(grown, columns[place].most - columns[place].width)
        widths[place] += grown
        left -= grown
    return widths


def full_bar(column: Column[T], rows: Sequence[T]) -> float:
    """The value of a full bar; 0 where the column is no bar."""
    return max([0.01, *(column.value(row) for row in rows)]) if On.TERMINAL in column.bar else 0.0


def bar(share: float, width: int) -> str:
    """A share of 0..1 as a bar, in steps of an eighth of a character."""
    eighths = round(min(1.0, max(0.0, share)) * width * 8)
    return _EIGHTHS[8] * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
