"""Numbers of a window as compressed text: single spans, and rows of what the profiler saw."""

from __future__ import annotations

import binascii
import zlib
from array import array

from goldsplit.record.inside.core import raw_columns


def pack_raw(raw: bytearray, start_ns: int) -> str:
    """Single spans: node, start and length in tenths of a microsecond, by start."""
    return _text(raw_columns(raw, start_ns))


def pack_rows(rows: array[int], width: int, origins: tuple[int, ...], start_ns: int) -> str:
    """Rows of `width` numbers as columns; those at `origins` are times, written from the window's start (0, a
    time that is not known, becomes -1), and as differences to the row before."""
    columns: array[int] = array("q")
    for place in range(width):
        column = rows[place::width]
        if place in origins:
            column = array("q", [value - start_ns if value else -(1 << 40) for value in column])
        before = 0
        for value in column:
            columns.append(value - before)
            before = value
    return _text(columns.tobytes())


def _text(data: bytes) -> str:
    return binascii.b2a_base64(zlib.compress(data, 1), newline=False).decode()
