"""Prefetcher: a background thread that has the next batches ready.

The thread samples (the row copy runs without the GIL), converts to torch and, on CUDA, copies through pinned
memory on a stream of its own, while the caller computes. A batch is at most `depth` + 1 batches old when it
is used: it does not hold transitions added since, and its weights are those of the priorities at that time.
"""

from __future__ import annotations

import threading
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Protocol, Self

from goldsplit.fast.replay.schema import Field
from goldsplit.fast.replay.transfer import Ready, batch_maker


class Sampleable(Protocol):
    Batch: Any

    @property
    def batch_fields(self) -> dict[str, Field]: ...
    def sample(self, batch_size: int, *, out: Any = None) -> Any: ...


class PrefetchError(RuntimeError):
    """The background thread failed; the message ends with its traceback, `__cause__` is its exception."""


class _Queue:
    """Between the two threads: ready batches up to `depth`, the worker's failure, the wish to stop."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.ready: deque[Ready] = deque()
        self.failure: BaseException | None = None
        self.stopping = False
        self.changed = threading.Condition()

    def put(self, batch: Ready) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.stopping or len(self.ready) < self.depth)
            if not self.stopping:
                self.ready.append(batch)
                self.changed.notify_all()

    def take(self, timeout_seconds: float | None) -> Ready:
        with self.changed:
            if not self.changed.wait_for(
                lambda: self.ready or self.failure or self.stopping, timeout_seconds
            ):
                raise TimeoutError(f"no batch within {timeout_seconds} s")
            if self.stopping:
                raise RuntimeError("the prefetcher is closed")
            if not self.ready and self.failure is not None:
                raise _surfaced(self.failure) from self.failure
            batch = self.ready.popleft()
            self.changed.notify_all()
            return batch

    def fail(self, failure: BaseException) -> None:
        with self.changed:
            self.failure = failure
            self.changed.notify_all()

    def stop(self) -> None:
        with self.changed:
            self.stopping = True
            self.ready.clear()
            self.changed.notify_all()


class Prefetcher:
    """Batches of `buffer`, prepared ahead.

    `device=None` gives NumPy batches as the buffer makes them; "cpu" torch tensors over the same memory; a
    CUDA device tensors on it. `indices` stay NumPy, with their stamp, for `update_priorities`. `transform` is
    applied to each batch in the background thread. The thread starts with the first batch asked for.

        with Prefetcher(buffer, 256, device="cuda") as batches:
            for batch in batches: ...
    """

    def __init__(
        self,
        buffer: Sampleable,
        batch_size: int,
        *,
        depth: int = 2,
        device: Any = None,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        if depth < 1 or batch_size < 1:
            raise ValueError(
                f"depth and batch_size must be at least 1, got depth={depth}, batch_size={batch_size}"
            )
        self._buffer = buffer
        self._queue = _Queue(depth)
        make = batch_maker(buffer, batch_size, depth, device)
        self._thread = threading.Thread(
            target=_prepare_batches,
            args=(self._queue, make, transform),
            name="goldsplit-prefetch",
            daemon=True,
        )
        # The thread must not keep this object alive: dropped without close(), it still stops its thread.
        self._stop = weakref.finalize(self, self._queue.stop)

    def get(self, timeout_seconds: float | None = None) -> Any:
        """The next batch; raises PrefetchError when the thread failed, TimeoutError when it took too long."""
        if self._thread.ident is None and not self._queue.stopping:
            self._thread.start()
        return self._queue.take(timeout_seconds).for_caller()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.get()

    def update_priorities(self, indices: Any, priorities: Any) -> int:
        """Pass priorities on to the buffer, which drops those of slots overwritten since; the number set."""
        update: Callable[[Any, Any], int] = getattr(self._buffer, "update_priorities", _no_priorities)
        return update(indices, priorities)

    def close(self) -> None:
        """Stop the thread and wait for it; may be called again."""
        self._stop()
        if self._thread.ident is not None:
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _prepare_batches(
    queue: _Queue, make: Callable[[Any], Ready], transform: Callable[[Any], Any] | None
) -> None:
    try:
        while not queue.stopping:
            queue.put(make(transform))
    except BaseException as failure:
        queue.fail(failure)


def _surfaced(failure: BaseException) -> PrefetchError:
    trace = "".join(traceback.format_exception(failure))
    return PrefetchError(f"the prefetch thread failed: {failure!r}\n\ntraceback of the thread:\n{trace}")


def _no_priorities(_indices: Any, _priorities: Any) -> int:
    raise TypeError("this buffer has no priorities\nhint: use PrioritizedReplay")
