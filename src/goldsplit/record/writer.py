"""Append lines to one file per process, and survive what users' programs do to files.

The file is opened for each write: a program may close every descriptor it does not know, and writing to a
descriptor kept open could then land in the user's own file.
"""

from __future__ import annotations

import json
import os
from typing import Any

#: Lines are kept while the disk refuses them; beyond this the oldest are dropped and counted.
MAX_PENDING_BYTES = 1_000_000


class LineWriter:
    """Appends JSON lines; a refused write is kept and tried again with the next one."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.pending: list[bytes] = []
        self.failed_writes = 0
        self.dropped_lines = 0
        self._torn = False

    def write(self, line: dict[str, Any]) -> None:
        """Append one line, and whatever is still waiting."""
        self.pending.append(json.dumps(line, separators=(",", ":"), default=str).encode() + b"\n")
        data = b"".join(self.pending)
        if self._torn:
            data = b"\n" + data  # the torn line stays alone on its own line and is skipped by the reader
        try:
            written = self._append(data)
        except OSError:
            written = 0
        if written == len(data):
            self.pending.clear()
            self._torn = False
            return
        self.failed_writes += 1
        if written:
            self._drop_written(written - self._torn)
        while sum(map(len, self.pending)) > MAX_PENDING_BYTES:
            self.pending.pop(0)
            self.dropped_lines += 1

    def _drop_written(self, written: int) -> None:
        """After a short write: forget the lines that were written whole; the next one is torn, and is written
        again."""
        while self.pending and written >= len(self.pending[0]):
            written -= len(self.pending.pop(0))
        self._torn = written > 0

    def _append(self, data: bytes) -> int:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            return os.write(descriptor, data)
        finally:
            os.close(descriptor)
