"""What the process as a whole has used: counters in each snapshot, beside those of its Python threads.

CPU time of the process that is not of its Python threads belongs to native threads (OpenMP, BLAS), which
nothing else in the recording sees. The snapshot thread's own is left out: in a worker that mostly waits it
would look like a sixth of all work.
"""

from __future__ import annotations

import os
import threading
from time import process_time_ns  # as it is before a program replaces it

from goldsplit.model.wire import Counter
from goldsplit.record.inside.snapshot_thread import own_threads

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

#: Memory and the number of threads change slowly, and asking for them costs more than the rest of a snapshot.
#: A little less than a second, so that snapshots a second apart all ask again, even one that comes early.
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
            asked = {
                Counter.PROCESS_RSS_BYTES: resident_bytes(),
                Counter.PROCESS_NATIVE_THREADS: _native_threads(),
            }
            self._slow = {name: value for name, value in asked.items() if value is not None}
        return {Counter.PROCESS_CPU_NS: process_time_ns() - recorders_cpu_ns, **self._slow}


def _native_threads() -> int | None:
    """Threads that Python does not know: mostly the pools of OpenMP and BLAS."""
    try:
        return max(0, len(os.listdir("/proc/self/task")) - threading.active_count() - own_threads())  # noqa: PTH208
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


def thread_cpu(pid: int, native_id: int) -> tuple[int, int]:
    """CPU nanoseconds of a thread and nanoseconds it was ready but not run, as the kernel counts them."""
    try:
        descriptor = os.open(f"/proc/{pid}/task/{native_id}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0, 0
    try:
        cpu, delay, _ = os.read(descriptor, 100).split()
        return int(cpu), int(delay)
    except (OSError, ValueError):
        return 0, 0
    finally:
        os.close(descriptor)
