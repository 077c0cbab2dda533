"""A coroutine or generator, driven segment by segment: what `segments.c` does, in Python, held to the same
tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from goldsplit.record.inside.core.failures import swallow
from goldsplit.record.inside.core.spans import enter, leave


class SegmentsCore:
    """Each segment is a span of a stage, except those inside the same stage; only the last one counts.

    A derived class sets both fields; its `ended` is called when the last segment is over.
    """

    __slots__ = ("inner", "stage")

    inner: Any
    stage: str

    def ended(self) -> None:
        """It returned, raised or was closed."""
        raise NotImplementedError

    def resume(self, method: Callable[..., Any], *args: Any) -> Any:
        """One segment: `inner` goes on by this method of its own."""
        node = enter(self.stage)
        try:
            result = method(*args)
        except BaseException:
            if node is not None:
                leave(node)
            self._tell()
            raise
        if node is not None:
            leave(node, 0)
        return result

    def _tell(self) -> None:
        try:
            self.ended()
        except Exception as error:
            if not swallow("the end of a coroutine", error):
                raise

    def __iter__(self) -> Self:
        return self

    __await__ = __iter__

    def __next__(self) -> Any:
        return self.resume(self.inner.__next__)
