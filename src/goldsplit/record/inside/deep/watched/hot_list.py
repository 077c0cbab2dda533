"""The functions that the launcher's stack samples show to be hot: read from the run directory, where the list
is replaced as a whole when more is known."""

from __future__ import annotations

import json
import os

from goldsplit.model.deep_files.deep_wire import Deep
from goldsplit.model.wire import File

MOST_BYTES = 200_000

Hot = tuple[str, str, int]
"""File, name, and a line of the function that was seen at work."""


class HotList:
    """The list as it was last read."""

    def __init__(self, run_dir: str) -> None:
        self.path = os.path.join(run_dir, File.HOT)  # noqa: PTH118 - no pathlib inside the user's process
        self.seen = (0, 0)

    def news(self) -> list[Hot]:
        """The functions, the hottest first, if the list is another one than before; else nothing."""
        try:
            stat = os.stat(self.path)  # noqa: PTH116
            if (stat.st_ino, stat.st_mtime_ns) == self.seen:
                return []
            self.seen = (stat.st_ino, stat.st_mtime_ns)
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                found = json.loads(os.read(descriptor, MOST_BYTES))
            finally:
                os.close(descriptor)
            return [(str(file), str(name), int(line)) for file, name, line in found[Deep.FUNCTIONS]]
        except (OSError, ValueError, KeyError, TypeError):
            return []
