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


def process_figures(recorders_cpu_ns: int = 0) -> dict[str, float]:
    """Counter name → value now; what the system does not tell is left out."""
    figures: dict[str, float] = {"process_cpu_ns": time.process_time_ns() - recorders_cpu_ns}
    resident = resident_bytes()
    if resident is not None:
        figures["process_rss_bytes"] = resident
    native = _native_threads()
    if native is not None:
        figures["process_native_threads"] = native
    return figures


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
