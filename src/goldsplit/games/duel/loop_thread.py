"""One event loop in a thread of its own, for all plain environments of a process.

It is made when the first of them connects and ends with the last. A forked child forgets its parent's.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Coroutine
from typing import Any


class LoopThread:
    """An event loop that runs in its own thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.users = 0
        #: What a forked child must not drop: a writer that is collected takes itself out of the loop's epoll,
        #: which parent and child share, and the parent would hear nothing any more.
        self.kept: list[Any] = []
        self._thread = threading.Thread(target=self.loop.run_forever, name="duel-client", daemon=True)
        self._thread.start()

    def inside(self) -> bool:
        """Whether the caller runs in the loop's thread, which cannot wait for itself."""
        return threading.current_thread() is self._thread

    def finish(self, work: Coroutine[Any, Any, None], timeout: float) -> None:
        """Does the work before this returns; inside, as soon as the loop is free."""
        if self.inside():
            self.loop.create_task(work)
            return
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        with contextlib.suppress(TimeoutError):
            future.result(timeout)

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


_lock = threading.RLock()
_shared: LoopThread | None = None
#: Loops of the process that this one was forked from: their threads do not exist here.
_of_the_parent: list[LoopThread] = []


def borrow() -> LoopThread:
    """The loop of this process, started if there is none; `give_back` ends the loan."""
    global _shared
    with _lock:
        if _shared is None:
            _shared = LoopThread()
        _shared.users += 1
        return _shared


def give_back(thread: LoopThread) -> None:
    """The last user ends it, unless it is collected in the loop's own thread: then the next last one."""
    global _shared
    with _lock:
        if thread in _of_the_parent:
            return
        thread.users -= 1
        if thread.users <= 0 and not thread.inside():
            _shared = None
            thread.end()


def _forget() -> None:
    global _lock, _shared
    _lock = threading.RLock()
    if _shared is not None:
        _of_the_parent.append(_shared)
        _shared = None


os.register_at_fork(after_in_child=_forget)
