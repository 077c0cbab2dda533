"""While the program records a CUDA graph, other threads must not ask the device anything: CUDA would refuse
the whole graph. So every question of ours holds a lock that the beginning of a recording waits for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from goldsplit.record.inside.own_failures import harmless
from goldsplit.record.inside.snapshot_thread import new_lock

#: A recording begins after so long, whoever has the lock.
_LONGEST_SECONDS = 1.0


class Captures:
    """How many graphs are being recorded now, and how many were."""

    def __init__(self) -> None:
        self.open = 0
        self.count = 0
        self._lock = new_lock()

    @contextmanager
    def kept_away(self) -> Iterator[bool]:
        """True: no graph is being recorded, and none begins before the block has ended."""
        if not self._lock.acquire(timeout=0):
            yield False
            return
        try:
            yield self.open == 0
        finally:
            self._lock.release()

    def begun(self) -> None:
        locked = self._lock.acquire(timeout=_LONGEST_SECONDS)
        self.open += 1
        self.count += 1
        if locked:
            self._lock.release()

    def ended(self) -> None:
        self.open = max(0, self.open - 1)

    def watch(self, torch: Any) -> None:
        """See every graph that torch records."""
        graph = getattr(torch.cuda, "CUDAGraph", None)
        begin, end = getattr(graph, "capture_begin", None), getattr(graph, "capture_end", None)
        if begin is None or end is None:
            return

        def capture_begin(self: Any, *args: Any, captures: Captures = self, **kwargs: Any) -> Any:
            with harmless("the beginning of a graph"):
                captures.begun()
            try:
                return begin(self, *args, **kwargs)
            except BaseException:
                captures.ended()
                raise

        def capture_end(self: Any, *args: Any, captures: Captures = self, **kwargs: Any) -> Any:
            try:
                return end(self, *args, **kwargs)
            finally:
                captures.ended()

        graph.capture_begin, graph.capture_end = capture_begin, capture_end  # type: ignore[union-attr]
