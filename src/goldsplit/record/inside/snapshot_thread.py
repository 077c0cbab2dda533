"""The recorder's own threads, above all the one that takes snapshots: real ones, also where a library puts
coroutines in the place of threads (gevent, eventlet). What such a library replaces is taken here before any
program can import it."""

from __future__ import annotations

import os
import threading
import time
from _thread import allocate_lock, get_native_id, start_new_thread
from collections.abc import Callable

NAME = "goldsplit-recorder"
_LAST_STEPS_NS = 50_000_000

_real_join = threading.Thread.join
#: How `threading` starts a thread, by Python's version.
STARTERS = tuple(name for name in ("_start_new_thread", "_start_joinable_thread") if hasattr(threading, name))
_real_starters = tuple(getattr(threading, name) for name in STARTERS)
_real_sleep = time.sleep
_clock = time.perf_counter_ns

new_lock = allocate_lock


class _BareThread:
    """A thread that `threading` does not know."""

    def __init__(self, run: Callable[[], None]) -> None:
        self._run = run
        self._running = allocate_lock()
        self.native_id: int | None = None

    def start(self) -> None:
        self._running.acquire()
        start_new_thread(self._main, ())

    def _main(self) -> None:
        self.native_id = get_native_id()
        try:
            self._run()
        finally:
            self._running.release()

    def join(self, seconds: float) -> None:
        if self._running.acquire(timeout=seconds):
            self._running.release()


class _Thread(threading.Thread):
    """It ends quietly where a library (gevent) has since replaced how threads are told apart."""

    def _delete(self) -> None:
        try:
            super()._delete()  # type: ignore[misc]
        except KeyError:
            threading._active.pop(self.ident, None)  # type: ignore[attr-defined]


SnapshotThread = threading.Thread | _BareThread


def make(run: Callable[[], None], name: str = NAME) -> SnapshotThread:
    """A thread for `run`, not yet started."""
    if tuple(getattr(threading, name, None) for name in STARTERS) != _real_starters:
        return _BareThread(run)
    return _Thread(target=run, name=name, daemon=True)


def wait_for_end(thread: SnapshotThread, seconds: float) -> None:
    """Until a thread that was asked to end has gone, in the eyes of the system too."""
    if isinstance(thread, _BareThread):
        thread.join(seconds)
    else:
        _real_join(thread, seconds)
    task = f"/proc/self/task/{thread.native_id}"
    deadline = _clock() + _LAST_STEPS_NS
    while os.path.exists(task) and _clock() < deadline:  # noqa: PTH110 - it ends shortly after the join
        _real_sleep(0.0005)
