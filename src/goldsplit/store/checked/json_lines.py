"""JSON that may be torn, damaged or made up."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goldsplit.store.checked.regular_files import LONGEST_LINE, raw_lines, read_regular

#: What reading a line of the wrong shape can raise; such a line is skipped and counted.
DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, zlib.error)


def lines_of(file: Path) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of a file, None for each line that is not one; nothing where there is no such file."""
    try:
        for line in raw_lines(file):
            if line is None:
                yield None
            else:
                yield from parse_lines(line)
    except FileNotFoundError:
        return
    except OSError:  # not a file of a run, or the disk fails
        yield None


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


def read_object(file: Path) -> dict[str, Any]:
    """A file that holds one JSON object; raises OSError or ValueError."""
    try:
        value = json.loads(read_regular(file, LONGEST_LINE))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value
