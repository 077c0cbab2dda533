"""What the process as a whole has used: counters in each snapshot, beside those of its Python threads.

The difference between the process's CPU time and its Python threads' is that of native threads (OpenMP,
BLAS), which nothing else in the recording sees. The snapshot thread's is left out: in a worker that mostly
waits it would pass for a sixth of all work.
"""

from __future__ import annotations

import os
import threading
import time

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


#: Memory and the number of threads change slowly, and cost more to ask than the rest of a snapshot. It is
#: less than a second, so that of snapshots a second apart, some of them a little early, each asks anew.
_ASKED_EVERY_NS = 900_000_000


class ProcessFigures:
    """Counter name → value; what the system does not tell is left out."""

    def __init__(self) -> None:
        self._slow: dict[str, float] = {}
        self._asked_ns = -_ASKED_EVERY_NS

    def now(self, now_ns: int, recorders_cpu_ns: int) -> dict[str, float]:
        """CPU time as of now, the others as of a second ago at most."""
        if now_ns - self._asked_ns >= _ASKED_EVERY_NS:
            self._asked_ns = now_ns
            asked = {"process_rss_bytes": resident_bytes(), "process_native_threads": _native_threads()}
            self._slow = {name: value for name, value in asked.items() if value is not None}
        return {"process_cpu_ns": time.process_time_ns() - recorders_cpu_ns, **self._slow}


def _native_threads() -> int | None:
    """Threads that Python knows nothing of: OpenMP's and BLAS's pools, above all."""
    try:
        return max(0, len(os.listdir("/proc/self/task")) - threading.active_count())  # noqa: PTH208
    except OSError:
        return None


def resident_bytes() -> int | None:
    """How much memory the process holds; None where the system does not tell."""
    try:
        descriptor = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return int(os.read(descriptor, 100).split()[1]) * _PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return None
    finally:
        os.close(descriptor)
