"""Callables; each call is a span. In Python: what `core/span_calls.c` does without a frame of its own.

For what the compiled ones cannot do: functions that share their code with others, programs that torch
compiles, and where the core was not compiled. They carry the stage in their code's name, so that a sampled
stack shows the stage too; and they refer only to functions of modules, so that pickle and cloudpickle can
send a wrapped class to a worker.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from goldsplit.model.stack_frames import FRAME_PREFIX
from goldsplit.record.inside.core import (
    enter,
    enter_end,
    enter_wait,
    leave,
    leave_as,
    step_aside,
    swallow,
    this_thread,
)

Function = Callable[..., Any]
#: A function that calls itself more often, one call inside the other, loses its wrapper.
MOST_DEPTH = 40
#: Of `functools.lru_cache`: not among the attributes that a wrapper gets from its function.
_METHODS_OF_CACHES = ("cache_info", "cache_clear", "cache_parameters")


def named(wrapper: Any, fn: Function, stage: str) -> Any:
    """A wrapper that has its function's name, and a frame that has its stage's name."""
    name = FRAME_PREFIX + stage
    wrapper.__code__ = wrapper.__code__.replace(co_name=name, co_qualname=name)
    functools.update_wrapper(wrapper, fn)
    wrapper._torchdynamo_inline = fn  # torch.compile takes the original
    for method in _METHODS_OF_CACHES:
        if hasattr(fn, method):
            setattr(wrapper, method, getattr(fn, method))
    return wrapper


def span_call(
    fn: Function,
    stage: str,
    after: Callable[..., None] | None = None,
    before: Callable[[Any], None] | None = None,
) -> Any:
    """Each call of `fn` is a span, `before` comes before it, `after` after; none inside the same stage."""
    depth = [0]

    def span(*args: Any, **kwargs: Any) -> Any:
        if before is not None:
            try:
                before(this_thread())
            except Exception as error:
                if not swallow(before, error):
                    raise
        node = enter(stage)
        if node is None:
            depth[0] += 1
            try:
                if depth[0] > MOST_DEPTH:  # each call through us is one frame more
                    step_aside(span)
                return fn(*args, **kwargs)
            finally:
                depth[0] -= 1
        try:
            result = fn(*args, **kwargs)
        except BaseException:
            leave(node)
            raise
        cost_from = leave(node)
        try:
            if after is not None:
                after(this_thread(), node, args, result)
            if cost_from:
                this_thread().end_sample(cost_from)
        except Exception as error:
            if not swallow(after, error):
                raise
        return result

    return named(span, fn, stage)


Unless = tuple[()] | tuple[str, Any] | None


def wait_call(
    real: Function, stage: str, detail_of: Callable[[Any], str] | None = None, unless: Unless = None
) -> Any:
    """Each call of a method is a wait; after the call `detail_of` says of the object who ended it.

    `unless` is a tuple where the first argument is a time (zero: no wait), with an attribute and a value that
    the object has when nothing is left to wait for.
    """

    def is_no_wait(waited_for: Any, args: tuple[Any, ...]) -> bool:
        if unless is None:
            return False
        has_no_time = bool(args) and type(args[0]) in (bool, int, float) and args[0] == 0
        try:
            return has_no_time or bool(unless and getattr(waited_for, unless[0], None) is unless[1])
        except Exception as error:
            if not swallow("what is waited for", error):
                raise
            return False

    def goldsplit_wait(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_no_wait(self, args):
            return real(self, *args, **kwargs)
        node = enter_wait(stage)
        if node is None:
            return real(self, *args, **kwargs)
        try:
            return real(self, *args, **kwargs)
        finally:
            detail = ""
            try:
                detail = _detail(detail_of, self)
            finally:
                leave_as(node, detail)

    return named(goldsplit_wait, real, stage)


def _detail(detail_of: Callable[[Any], str] | None, waited_for: Any) -> str:
    try:
        return "" if detail_of is None else detail_of(waited_for)
    except AttributeError:  # nobody has left a name there
        return ""
    except Exception as error:
        if not swallow(detail_of, error):
            raise
        return ""


def end_call(real: Function, stage: str, look: Callable[[Any], None] | None = None) -> Any:
    """Each call of a method of a pipe's end is a span that names the pipe; `look` is given the message."""

    def goldsplit_end(self: Any, *args: Any, **kwargs: Any) -> Any:
        node = enter_end(stage, self)
        if node is None:
            return real(self, *args, **kwargs)
        try:
            if look is not None and args:
                try:
                    look(args[0])
                except Exception as error:
                    if not swallow(look, error):
                        raise
            return real(self, *args, **kwargs)
        finally:
            leave(node)

    return named(goldsplit_end, real, stage)


def as_builtin(call: Function, real: Any) -> Any:
    """`call` in the place of a function written in C: like that one, and unlike a function in Python, it gets
    no `self` where a class has it among its names (`log = print`)."""

    def __getattr__(self: Any, name: str) -> Any:  # noqa: N807 - becomes a method
        return getattr(real, name)

    names = {
        "__slots__": ("__weakref__",),
        "__doc__": real.__doc__,
        "__module__": real.__module__,
        "__call__": staticmethod(call),
        "__class__": property(lambda self: type(real)),
        "__getattr__": __getattr__,
        "__reduce__": lambda self: real.__qualname__,
        "__repr__": lambda self: repr(real),
        "__wrapped__": real,
    }
    return type(real.__name__, (), names)()
