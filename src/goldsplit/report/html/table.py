"""A table of the page, as the template lays it out."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.report import words


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what is shown, what it is sorted by, how long its bar is (0..1)."""

    text: str
    order: float | str | None = None
    bar: float | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head; `narrow`: whether it stays on a narrow window."""

    title: str
    number: bool = False
    narrow: bool = True
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table; `kind` is what filters look at, `paint` the colour of its stage."""

    cells: list[Cell]
    kind: str = ""
    paint: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its columns; `caption` is read out and printed."""

    caption: str
    columns: list[Column]
    rows: list[Row]


def without_empty_columns(table: Table) -> Table:
    """A column in which nothing was measured takes room and says nothing."""
    kept = [
        place
        for place in range(len(table.columns))
        if any(row.cells[place].text not in ("", words.DASH) for row in table.rows)
    ]
    columns = [table.columns[place] for place in kept]
    rows = [Row([row.cells[place] for place in kept], row.kind, row.paint) for row in table.rows]
    return Table(table.caption, columns, rows)


def bar(share: float | None, longest: float) -> float | None:
    """A bar's length beside the longest one of its column."""
    return None if share is None or longest <= 0 else min(1.0, share / longest)


def short_file(file: str, line: int) -> str:
    """Folder, file and line."""
    return words.plain("/".join(file.rsplit("/", 2)[-2:])) + f":{line}" if file else words.DASH
