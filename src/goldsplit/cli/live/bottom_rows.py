"""Keep the last rows of a terminal for ourselves, while the program's output scrolls above them.

The rows are taken out of the terminal's scrolling region. So the program's output and ours never mix, the
program may move its cursor as it likes, and nothing of ours is left in the scrollback.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TextIO

SAVE, RESTORE, CLEAR_LINE = "\x1b7", "\x1b8", "\x1b[2K"
#: One row down in the same column, scrolling at the end: the program may be in the middle of a line.
DOWN = "\x1bD"
#: With fewer rows than this above the area, nothing is drawn.
FEWEST_ROWS_ABOVE = 4


class BottomArea:
    """The last rows of a terminal; taken at the first draw, given back by `close`."""

    def __init__(
        self,
        stream: TextIO,
        size: Callable[[], tuple[int, int]],
        is_in_front: Callable[[], bool] = lambda: True,
    ) -> None:
        self.stream = stream
        self.size = size
        self.is_in_front = is_in_front
        self.taken = (0, 0, 0)
        """Columns, rows and height when the area was taken."""

    def draw(self, lines: list[str]) -> None:
        """Show these lines; each must fit the width, escape sequences aside."""
        if not self.is_in_front():  # started with `&`: the terminal belongs to another program
            self.close()
            return
        columns, rows = self.size()
        height = min(len(lines), rows - FEWEST_ROWS_ABOVE)
        if height < 1:
            return
        text = "" if self.taken == (columns, rows, height) else self._take(columns, rows, height)
        text += SAVE
        for number, line in enumerate(lines[:height]):
            fitted = line if "\x1b" in line else line[:columns]
            text += f"\x1b[{rows - height + 1 + number};1H{CLEAR_LINE}{fitted}"
        self._write(text + RESTORE)

    def _take(self, columns: int, rows: int, height: int) -> str:
        """Make room below the cursor, then shut the rows out of the scrolling region."""
        text = self._release() if self.taken[2] else ""
        self.taken = (columns, rows, height)
        room = DOWN * height + f"\x1b[{height}A"
        return f"{text}{room}{SAVE}\x1b[1;{rows - height}r{RESTORE}"

    def _release(self) -> str:
        """The whole terminal scrolls again, and our rows are blank."""
        _, rows, height = self.taken
        blank = "".join(f"\x1b[{rows - height + 1 + n};1H{CLEAR_LINE}" for n in range(height))
        return f"{SAVE}\x1b[r{blank}{RESTORE}"

    def close(self) -> None:
        """Give the rows back."""
        if self.taken[2]:
            self._write(self._release())
            self.taken = (0, 0, 0)

    def _write(self, text: str) -> None:
        """In one write, so that the program's output cannot land inside an escape sequence."""
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(text)
            self.stream.flush()
