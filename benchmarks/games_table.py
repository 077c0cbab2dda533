"""What `games.py` makes of the times that it measured: ratios, bars, floors, and the table in three forms."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

Work = Callable[[], int]
"""Does some work and returns how many env steps (or observations) it did."""


@dataclass(frozen=True, slots=True)
class Twin:
    """What is measured: some work of a twin, and how many times faster than the first twin it has to be."""

    name: str
    work: Work
    bar: float | None = None
    #: Work that no twin can do without, such as the emulator's.
    is_floor: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    game: str
    twin: str
    cpu_us: float
    ratio: float
    low: float
    high: float
    bar: float | None

    @property
    def missed(self) -> bool:
        return self.bar is not None and self.ratio < self.bar


@dataclass(frozen=True, slots=True)
class Floor:
    """How much of a twin's time is work that no twin can do without."""

    game: str
    twin: str
    floor: str
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return (
            f"{self.game}: {self.floor} takes {self.share:.0%} [{self.low:.0%}-{self.high:.0%}] "
            f"of the time of {self.twin!r}"
        )


def rows_of(game: str, twins: Sequence[Twin], times: Sequence[Sequence[float]]) -> list[Row]:
    """What the times say, as lines of the table: each twin against the first one, round by round."""
    rows = []
    for twin, mine in zip(twins, times, strict=True):
        ratios = [plain / own for plain, own in zip(times[0], mine, strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
        rows.append(Row(game, twin.name, statistics.median(mine), middle, low, high, twin.bar))
    return rows


def floors_of(game: str, twins: Sequence[Twin], times: Sequence[Sequence[float]]) -> list[Floor]:
    """How close each twin with a bar comes to the floor of its game, if it has one."""
    found = []
    for floor, lowest in zip(twins, times, strict=True):
        for twin, mine in zip(twins, times, strict=True):
            if floor.is_floor and twin.bar is not None:
                shares = [least / own for least, own in zip(lowest, mine, strict=True)]
                low, middle, high = statistics.quantiles(shares, n=4, method="inclusive")
                found.append(Floor(game, twin.name, floor.name, middle, low, high))
    return found


HEADINGS = ("game", "twin", "us of CPU per env step", "against plain [quartiles]", "bar", "")


def cells(row: Row) -> tuple[str, ...]:
    """One line of the table as texts."""
    bar = "" if row.bar is None else f"{row.bar:g}x"
    held = "" if row.bar is None else "MISSED" if row.missed else "held"
    ratio = f"{row.ratio:.1f}x [{row.low:.1f}-{row.high:.1f}]"
    return row.game, row.twin, f"{row.cpu_us:,.2f}", ratio, bar, held


def as_text(rows: Sequence[Row]) -> str:
    lines = [HEADINGS, *map(cells, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def as_markdown(rows: Sequence[Row], floors: Sequence[Floor], command: str) -> str:
    """The table and the floors, with the command that measured them."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *map(cells, rows)]
    made = f"Made by `{command}` with Python {platform.python_version()} on {processor()}.\n\n"
    table = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    return made + table + "".join(f"\n{floor}.\n" for floor in floors)


def processor() -> str:
    """The processor's name, where Linux tells it, and how many cores there are to use."""
    cores = len(os.sched_getaffinity(0))
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if "model name" in line] if info.exists() else []
    name = names[0].split(":", 1)[1].strip() if names else platform.machine()
    return f"{name}, {cores} cores"


def write_table(page: Path, table: str) -> None:
    """Between the marks of a page, or as a new file with the marks."""
    text = page.read_text(encoding="utf-8") if page.exists() else f"{BEGIN}\n{END}\n"
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n\n{table}\n{END}{after}", encoding="utf-8")


def has_marks(page: Path) -> bool:
    """Whether a table can be written to it without a loss."""
    text = page.read_text(encoding="utf-8") if page.exists() else BEGIN + END
    return BEGIN in text and END in text.split(BEGIN)[1]
