"""Wrap a function so that each call is a span. The wrappers carry the stage in their code's name, so that
a sampled stack shows the stage too; and they refer to functions of modules alone, so that pickle and
cloudpickle can send a wrapped class to a worker."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

from goldsplit.record.core import enter, leave, this_thread
from goldsplit.record.engine import ThreadState, clock
from goldsplit.record.node import Node

#: Frames of wrappers are named by this and the stage; stack samples are put into stages by it.
FRAME_PREFIX = "goldsplit:"

BeforeCall = Callable[[ThreadState], None]
AfterCall = Callable[[ThreadState, Node, tuple[Any, ...], Any], None]


def _named(wrapper: Callable[..., Any], fn: Callable[..., Any], stage: str) -> Callable[..., Any]:
    name = FRAME_PREFIX + stage
    code = wrapper.__code__.replace(co_name=name, co_qualname=name)
    wrapper.__code__ = code
    functools.update_wrapper(wrapper, fn)
    wrapper._torchdynamo_inline = fn  # type: ignore[attr-defined]  # torch.compile takes the original
    return wrapper


def unstaged(fn: Any) -> Any:
    """The user's own function below our wrapper, bound again if it was bound; anything else as it is."""
    plain = getattr(fn, "__func__", fn)
    if not is_staged(plain):
        return fn
    original = plain.__wrapped__
    owner = getattr(fn, "__self__", None)
    return original if owner is None else original.__get__(owner)


def is_staged(fn: Any) -> bool:
    """Whether a function is one of our wrappers already."""
    code = getattr(fn, "__code__", None)  # not an attribute: functools.wraps would copy that
    return code is not None and code.co_name.startswith(FRAME_PREFIX)


def staged(
    fn: Callable[..., Any], stage: str, after: AfterCall | None = None, before: BeforeCall | None = None
) -> Callable[..., Any]:
    """`fn`, each call of it a span of `stage`; coroutine functions and generators by running time.

    A call directly inside the same stage adds no span (recursion, wrappers around wrappers). `before` is
    called in front of each span of a plain function, `after` behind it.
    """
    if is_staged(fn):
        return fn
    stage = sys.intern(stage)  # as those of nodes are: compared quickly
    if inspect.iscoroutinefunction(fn):
        return _named(_staged_coroutine(fn, stage, after), fn, stage)
    if inspect.isgeneratorfunction(fn):
        return _named(_staged_generator(fn, stage), fn, stage)

    def span(*args: Any, **kwargs: Any) -> Any:
        if before is not None:
            before(this_thread())
        node = enter(stage)
        if node is None:
            return fn(*args, **kwargs)
        try:
            result = fn(*args, **kwargs)
        except BaseException:
            leave(node)
            raise
        cost_from = leave(node)
        if after is not None:
            after(this_thread(), node, args, result)
        if cost_from:
            this_thread().end_sample(cost_from)
        return result

    return _named(span, fn, stage)


class RunningSpan:
    """Drives a coroutine or generator and books only the time in which it runs, segment by segment.

    Suspended time belongs to whatever else the thread does. For coroutines the whole life is booked
    beside the partition (``async``), because a caller on another thread may be waiting for it.
    """

    __slots__ = ("elapsed_node", "inner", "stage", "started_ns")

    def __init__(self, inner: Any, stage: str, elapsed: bool) -> None:
        self.inner = inner
        self.stage = stage
        self.started_ns = clock()
        self.elapsed_node: Node | None = None
        if elapsed:
            state = this_thread()
            self.elapsed_node = state.child(state.tasks, stage)
            state.open_tasks[self.started_ns] = (self.elapsed_node, self.started_ns)

    def _drive(self, method: Callable[..., Any], *args: Any) -> Any:
        state = this_thread()
        if state.current.stage == self.stage:
            return method(*args)
        node = state.enter(self.stage)
        count = 0
        try:
            return method(*args)
        except BaseException:
            count = 1  # the last segment: returned, raised or closed
            raise
        finally:
            if state.current is node:
                state.close(node, clock(), count)
            else:
                state.close_out_of_order(node, clock())
            if count and self.elapsed_node is not None:
                state.end_task(self.elapsed_node, self.started_ns)

    def __iter__(self) -> RunningSpan:
        return self

    __await__ = __iter__

    def __next__(self) -> Any:
        return self._drive(self.inner.__next__)

    def send(self, value: Any) -> Any:
        return self._drive(self.inner.send, value)

    def throw(self, *exc: Any) -> Any:
        return self._drive(self.inner.throw, *exc)

    def close(self) -> None:
        self.inner.close()
        if self.elapsed_node is not None:
            this_thread().end_task(self.elapsed_node, self.started_ns)


def _staged_coroutine(fn: Callable[..., Any], stage: str, after: AfterCall | None) -> Callable[..., Any]:
    async def span(*args: Any, **kwargs: Any) -> Any:
        if this_thread().current.stage == stage:  # inside another one of the same stage
            return await fn(*args, **kwargs)
        driver = RunningSpan(fn(*args, **kwargs).__await__(), stage, elapsed=True)
        result = await driver
        if after is not None and driver.elapsed_node is not None:
            after(this_thread(), driver.elapsed_node, args, result)
        return result

    return span


def _staged_generator(fn: Callable[..., Any], stage: str) -> Callable[..., Any]:
    def span(*args: Any, **kwargs: Any) -> Any:
        return (yield from RunningSpan(fn(*args, **kwargs), stage, elapsed=False))

    return span
