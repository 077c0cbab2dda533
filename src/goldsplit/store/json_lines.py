"""JSON lines that may be torn or damaged."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: What reading a line of the wrong shape can raise; such a line is skipped and counted.
DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, zlib.error)


def lines_of(file: Path) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of a file, None for each line that is not one."""
    try:
        data = file.read_bytes()
    except OSError:
        return
    yield from parse_lines(data)


def parse_lines(data: bytes) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of some lines, None for each line that is not one."""
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        yield value if isinstance(value, dict) else None
