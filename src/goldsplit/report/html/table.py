"""A table of the page, as the template lays it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from goldsplit.report import words
from goldsplit.report.column import Column, On, T


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what is shown, what it is sorted by, how long its bar is (0..1)."""

    text: str
    order: float | None = None
    bar: float | None = None
    title: str = ""


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
    columns: list[Column[Any]]
    rows: list[Row]


def lay_out(
    caption: str,
    columns: Sequence[Column[T]],
    rows: Sequence[T],
    kind: Callable[[T], str] = lambda row: "",
    paint: Callable[[T], str] = lambda row: "",
    full_bar: float | None = None,
) -> Table:
    """The columns that the page shows; a bar is full at `full_bar`, or at the largest value of its column."""
    shown = [column for column in columns if On.PAGE in column.on]
    full = [largest(column, rows, full_bar) for column in shown]
    return Table(
        caption,
        list(shown),
        [
            Row(
                [cell(column, row, most) for column, most in zip(shown, full, strict=True)],
                kind(row),
                paint(row),
            )
            for row in rows
        ],
    )


def cell(column: Column[T], row: T, full: float) -> Cell:
    """One cell; a text is sorted by itself."""
    value = column.value(row) if column.right else None
    share = words.known(value) if full > 0 else None
    return Cell(
        column.text(row),
        column.order(row) if column.order is not None else value,
        None if share is None else min(1.0, share / full),
        column.tip(row) if column.tip is not None else "",
    )


def largest(column: Column[T], rows: Sequence[T], full_bar: float | None) -> float:
    """The value of a full bar; 0 where the column has none."""
    if On.PAGE not in column.bar:
        return 0.0
    return full_bar or max((words.known(column.value(row)) or 0.0 for row in rows), default=0.0)


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
