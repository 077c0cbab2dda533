"""What a column of a table is: its title, its value, how that is written and where it is shown."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from goldsplit.report import words

T = TypeVar("T")
"""What a row of a table is made from."""


class On(enum.Flag):
    """Where a table is shown."""

    NOWHERE = 0
    TERMINAL = enum.auto()
    PAGE = enum.auto()
    PANEL = enum.auto()
    """The live panel, which has room for a few columns only."""
    ALL = TERMINAL | PAGE | PANEL


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """One column: its title, which value of a row it shows, and how that value is written."""

    title: str
    value: Callable[[T], Any]
    write: Callable[[Any], str] = words.plain
    right: bool = False
    """A figure: it leans to the right, and the page sorts it as a number."""
    on: On = On.TERMINAL | On.PAGE
    bar: On = On.NOWHERE
    """Where the value is drawn as a bar: on the page beside the text, on a terminal instead of it."""

    # Terminal only.
    width: int = 8
    most: int = 0
    """Where there is room it grows up to this width, if its texts need it."""
    fills: bool = False
    """It takes the room that is left, up to `most` if that is given, whether its texts need it or not."""
    spare: bool = False
    """It is left out where the terminal is too narrow for all columns."""
    if_measured: bool = False
    """It is left out where no row has a value."""
    short: str = ""
    """A title that fits into `width`."""
    shorten: Callable[[str, int], str] = words.clip
    """How a text that is too long is shortened."""

    # Page only.
    narrow: bool = True
    """It stays on a narrow window."""
    hint: str = ""
    """Explains the title when the mouse is over it."""
    tip: Callable[[T], str] | None = None
    """The same for a cell."""
    order: Callable[[T], float | None] | None = None
    """What a figure is sorted by, where that is not its value."""

    def text(self, row: T) -> str:
        """What the column says about a row."""
        return self.write(self.value(row))
