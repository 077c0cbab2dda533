"""Wrap a function so that each call is a span: compiled where that can be, else with a frame."""

from __future__ import annotations

import inspect
import pickle
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from goldsplit.model.stack_frames import FRAME_PREFIX
from goldsplit.record.inside import framed_calls as framed
from goldsplit.record.inside.alterations import after_made_calls, altered
from goldsplit.record.inside.core import SegmentsCore, span_call, this_thread
from goldsplit.record.inside.engine import ThreadState, clock
from goldsplit.record.inside.framed_calls import named
from goldsplit.record.inside.frameless_calls import is_frameless, may_be_frameless
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import count_failure, harmless

BeforeCall = Callable[[ThreadState], None]
AfterCall = Callable[[ThreadState, Node, tuple[Any, ...], Any], None]


def unstaged(fn: Any) -> Any:
    """The user's own function below our wrapper, bound again if it was bound; anything else as it is."""
    plain = getattr(fn, "__func__", fn)
    if not is_staged(plain):
        return fn
    original = plain.__wrapped__
    owner = getattr(fn, "__self__", None)
    return original if owner is None else original.__get__(owner)


def stage_of(fn: Any) -> str | None:
    """The stage that calls of a wrapper of ours are; None for anything else."""
    if is_frameless(fn):
        return str(fn._goldsplit_stage)
    code = getattr(fn, "__code__", None)  # not an attribute: functools.wraps would copy that
    name = "" if code is None else code.co_name
    return name.removeprefix(FRAME_PREFIX) if name.startswith(FRAME_PREFIX) else None


def is_staged(fn: Any) -> bool:
    """Whether a function is one of our wrappers already."""
    return stage_of(fn) is not None


def staged(
    fn: Callable[..., Any], stage: str, after: AfterCall | None = None, before: BeforeCall | None = None
) -> Callable[..., Any]:
    """`fn`, each call of it a span of `stage`; coroutine functions and generators by running time.

    A call directly inside the same stage adds no span (recursion, wrappers around wrappers). `before` is
    called before each span of a plain function, `after` after it.
    """
    if is_staged(fn) or inspect.isasyncgenfunction(
        fn
    ):  # what runs between two items has no frame to be seen by
        return fn
    stage = sys.intern(stage)  # as those of nodes are: compared quickly
    if not inspect.iscoroutinefunction(fn) and not inspect.isgeneratorfunction(fn):
        fn, after = altered(fn, stage), after_made_calls(after, stage)
    return _with_spans(fn, stage, after, before)


def _with_spans(
    fn: Callable[..., Any], stage: str, after: AfterCall | None, before: BeforeCall | None
) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(fn):
        return named(_staged_coroutine(fn, stage, after), fn, stage)  # type: ignore[no-any-return]
    if inspect.isgeneratorfunction(fn):
        return named(_staged_generator(fn, stage, after), fn, stage)  # type: ignore[no-any-return]
    if may_be_frameless(fn, stage):
        return span_call(fn, stage, after, before)  # type: ignore[no-any-return]
    return framed.span_call(fn, stage, after, before)  # type: ignore[no-any-return]


class RunningSpan(SegmentsCore):
    """Drives a coroutine or generator and counts only the time in which it runs, segment by segment.

    Suspended time belongs to whatever else the thread does. For coroutines the whole life is counted
    beside the partition (``async``), because a caller on another thread may be waiting for it.
    """

    __slots__ = ("elapsed_node", "started_ns")

    def __init__(self, inner: Any, stage: str, elapsed: bool) -> None:
        self.inner = inner
        self.stage = stage
        self.started_ns = clock()
        self.elapsed_node: Node | None = None
        if elapsed:
            try:
                state = this_thread()
                self.elapsed_node = state.child(state.tasks, stage)
                state.open_tasks[self.started_ns] = (self.elapsed_node, self.started_ns)
            except Exception as error:
                if not count_failure("the start of a coroutine", error):
                    raise

    def ended(self) -> None:
        if self.elapsed_node is not None:
            this_thread().end_task(self.elapsed_node, self.started_ns)

    def send(self, value: Any) -> Any:
        return next(self) if value is None else self.resume(self.inner.send, value)

    def throw(self, *exc: Any) -> Any:
        return self.resume(self.inner.throw, *exc)

    def close(self) -> None:
        self.inner.close()
        try:
            self.ended()
        except Exception as error:
            if not count_failure("the end of a coroutine", error):
                raise


def _staged_coroutine(fn: Callable[..., Any], stage: str, after: AfterCall | None) -> Callable[..., Any]:
    async def span(*args: Any, **kwargs: Any) -> Any:
        if _is_inside(stage):
            return await fn(*args, **kwargs)
        driver = RunningSpan(fn(*args, **kwargs).__await__(), stage, elapsed=True)
        result = await driver
        if after is not None and driver.elapsed_node is not None:
            try:
                after(this_thread(), driver.elapsed_node, args, result)
            except Exception as error:
                if not count_failure(after, error):
                    raise
        return result

    return span


def _is_inside(stage: str) -> bool:
    """Whether the thread is inside a span of this stage already."""
    try:
        return bool(this_thread().current.stage == stage)
    except Exception as error:
        if not count_failure("the start of a coroutine", error):
            raise
        return True


class SteppedSpan(RunningSpan):
    """A generator that is sent something again and again: what it answers is given to `after`, as the result
    of a call is."""

    __slots__ = ("after", "node")

    def __init__(self, inner: Any, stage: str, after: AfterCall) -> None:
        super().__init__(inner, stage, elapsed=False)
        self.after = after
        self.node: Node | None = None

    def send(self, value: Any) -> Any:
        begun_ns = clock()
        answer = super().send(value)
        if value is not None:
            try:
                state = this_thread()
                self.node = self.node or state.child(state.current, self.stage)
                self.node.t0 = begun_ns
                self.after(state, self.node, (), answer)
            except Exception as error:
                if not count_failure(self.after, error):
                    raise
        return answer


def _staged_generator(fn: Callable[..., Any], stage: str, after: AfterCall | None) -> Callable[..., Any]:
    def span(*args: Any, **kwargs: Any) -> Any:
        inner = fn(*args, **kwargs)
        return (yield from SteppedSpan(inner, stage, after) if after else RunningSpan(inner, stage, False))

    return span


#: What a pickle has in the place of a wrapper. A checkpoint must be readable where there is no goldsplit: so
#: nothing of ours is looked up, and only in a process that is recorded does the function get its spans again.
_RESTORE = """
def restore(function, spans):
    import sys
    ours = sys.modules.get("goldsplit.record.inside.span_wrapping")
    return function if ours is None else ours.restored(function, spans)
"""


def send_by_value(cloudpickle: Any) -> None:
    """Wrappers are pickled by name, as functions are; cloudpickle sends a script's own functions whole."""
    space: dict[str, Any] = {"__name__": "sent_by_value"}
    exec(_RESTORE, space)
    restore, real = space["restore"], cloudpickle.Pickler.reducer_override

    def reducer_override(self: Any, given: Any) -> Any:
        if is_frameless(given) or (type(given) is FunctionType and is_staged(given)):
            with harmless("pickling by value"):
                if _is_found_by_name(given):
                    return str(given.__qualname__) if is_frameless(given) else real(self, given)
                return restore, (given.__wrapped__, cloudpickle.dumps(_spans_of(given)))
        return real(self, given)

    cloudpickle.Pickler.reducer_override = reducer_override


def _is_found_by_name(call: Any) -> bool:
    found: Any = None if call.__module__ == "__main__" else sys.modules.get(call.__module__)
    for part in call.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is call


def _spans_of(call: Any) -> tuple[str, AfterCall | None, BeforeCall | None]:
    """Stage, `after` and `before` of a wrapper, as `staged` was given them."""
    if is_frameless(call):
        return call._goldsplit_parts()[1:]  # type: ignore[no-any-return]
    kept = dict(zip(call.__code__.co_freevars, call.__closure__ or (), strict=True))
    after, before = (kept[name].cell_contents if name in kept else None for name in ("after", "before"))
    return stage_of(call) or "", after, before


def restored(function: Callable[..., Any], spans: bytes) -> Callable[..., Any]:
    """A function that came in a pickle, with the spans that it had."""
    with harmless("a function from a pickle"):
        return _with_spans(function, *pickle.loads(spans))
    return function
