"""Read files that somebody else may have made: a device, a FIFO, an endless file is refused, not waited for.

A run directory may come from a stranger, and its files name others. Everything that `store` and the analysis
read goes through here.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

#: A run of a day is far smaller; what is larger is no run file.
MOST_BYTES = 2 << 30
#: The longest line of real runs has about a megabyte. Parsed JSON takes up to twenty times its text.
LONGEST_LINE = 8 << 20


def open_regular(path: Path, most_bytes: int = MOST_BYTES) -> IO[bytes]:
    """Open a plain file; raises OSError for everything else, and for what is too large."""
    if not stat.S_ISREG(path.stat().st_mode):  # opening some devices does something already
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)  # it may have been replaced since
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        if found.st_size > most_bytes:
            raise OSError(errno.EFBIG, f"has more than {most_bytes >> 20} MiB", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: Path, most_bytes: int) -> bytes:
    """All of a plain file; raises OSError for everything else, and for what is too large."""
    with open_regular(path, most_bytes) as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:  # files of /proc say that they are empty
        raise OSError(errno.EFBIG, f"has more than {most_bytes >> 20} MiB", str(path))
    return data


def raw_lines(path: Path) -> Iterator[bytes | None]:
    """The lines of a plain file, None for one that is too long to be a line of a run. Raises OSError."""
    with open_regular(path) as file:
        while line := file.readline(LONGEST_LINE):
            if len(line) < LONGEST_LINE or line.endswith(b"\n"):
                yield line
                continue
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            yield None
