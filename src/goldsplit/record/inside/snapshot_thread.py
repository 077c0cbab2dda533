"""The recorder's own threads, above all the one that takes snapshots. The program does not meet them: its
`threading` does not list or count them, no signal is delivered to them, and they are real ones where a
library puts coroutines in the place of threads (gevent, eventlet). What such a library replaces is taken here
before any program can import it."""

from __future__ import annotations

import os
import threading
import time
from _thread import allocate_lock, get_ident, get_native_id, start_new_thread
from collections.abc import Callable
from signal import SIG_SETMASK, pthread_sigmask, valid_signals
from typing import Any

NAME = "goldsplit-recorder"
#: Where other programs have all cores, a thread that has ended may wait so long for its last steps.
_LAST_STEPS_NS = 1_000_000_000

_real_sleep = time.sleep
_clock = time.perf_counter_ns
_own: dict[int, SnapshotThread] = {}

new_lock = allocate_lock
os.register_at_fork(after_in_child=_own.clear)


class UnlistedThread:
    """A thread that `threading` does not know; asking `current_thread` in it would make it known."""

    name = "thread"

    def __init__(self, native_id: int) -> None:
        self.native_id = native_id

    def is_alive(self) -> bool:
        return os.path.exists(f"/proc/self/task/{self.native_id}")  # noqa: PTH110 - no pathlib here


class SnapshotThread(UnlistedThread):
    """One of ours. A program that joins every thread it finds, or waits until it has only one, would never
    end if it found this one; one that blocks a signal, to wait for it, would not get it if this one could."""

    name = NAME

    def __init__(self, run: Callable[[], None]) -> None:
        super().__init__(0)
        self._run = run
        self._running = allocate_lock()

    def start(self) -> None:
        self._running.acquire()
        before = pthread_sigmask(SIG_SETMASK, valid_signals())  # a new thread has its maker's mask
        try:
            start_new_thread(self._main, ())
        except BaseException:
            self._running.release()
            raise
        finally:
            pthread_sigmask(SIG_SETMASK, before)

    def _main(self) -> None:
        ident = get_ident()
        self.native_id = get_native_id()
        _own[ident] = self
        try:
            self._run()
        finally:
            _own.pop(ident, None)
            self._running.release()

    def is_this(self) -> bool:
        """Whether the caller runs in it."""
        return _own.get(get_ident()) is self

    def join(self, seconds: float) -> None:
        """Wait for its end, in the eyes of the system too."""
        if not self._running.acquire(timeout=seconds):
            return
        self._running.release()
        deadline = _clock() + _LAST_STEPS_NS
        while self.native_id and self.is_alive() and _clock() < deadline:  # it ends shortly after
            _real_sleep(0.0005)


def own_threads() -> int:
    """How many of ours there are."""
    return len(_own)


def this_one() -> Any:
    """The thread that calls: what `threading` knows of it, and if that is nothing, what can be said."""
    known: dict[int, threading.Thread] = getattr(threading, "_active", {})
    return known.get(threading.get_ident()) or _own.get(get_ident()) or UnlistedThread(get_native_id())
