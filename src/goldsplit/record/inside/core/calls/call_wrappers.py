"""Callables that take the place of a method. What `call_wrappers.c` does without a Python frame of its own,
in Python, held to the same tests."""

from __future__ import annotations

from _thread import get_native_id
from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.core.counting import LOOK_EVERY, count_one
from goldsplit.record.inside.core.failures import swallow
from goldsplit.record.inside.core.spans import this_thread
from goldsplit.record.inside.core.state_fields import Shared

Method = Callable[..., Any]


def counted_call(real: Method, key: str) -> Method:
    """Count a call, then make it."""

    def read(*args: Any, **kwargs: Any) -> Any:
        count_one(key)
        return real(*args, **kwargs)

    return _named_as(real, read)


def forward_call(real: Method, is_grad_enabled: Callable[[], bool], look: Callable[..., None]) -> Method:
    """A module's call: the outermost one is a span. Here `real` does all of that."""
    return real


def rare_call(look: Method) -> Method:
    """What may be called after a span: after the first at a place, then once in `LOOK_EVERY`."""

    def now_and_then(state: Any, node: Any, args: tuple[Any, ...], result: Any) -> None:
        if node.count % LOOK_EVERY == 1:
            look(state, node, args, result)

    return _named_as(look, now_and_then)


def waker_call(real: Method) -> Method:
    """Before a condition is notified: leave our name there, for the thread that it wakes.

    Without asking for a state: a thread that has just begun notifies before `threading` knows it.
    """

    def notify(condition: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            condition._goldsplit_waker = f"{Shared.thread_prefix}{get_native_id()}"
        except Exception as error:
            if not swallow("before a call", error):
                raise
        return real(condition, *args, **kwargs)

    return _named_as(real, notify)


def sized_call(real: Method, calls_key: str, sizes_key: str) -> Method:
    """A method of an object and a buffer: count the call, and the buffer's length."""

    def send(owner: Any, buffer: Any) -> Any:
        try:
            counts, size = this_thread().counts, len(buffer)
            counts[calls_key] = counts.get(calls_key, 0) + 1
            counts[sizes_key] = counts.get(sizes_key, 0) + size
        except Exception as error:
            if not swallow("before a call", error):
                raise
        return real(owner, buffer)

    return _named_as(real, send)


def _named_as(real: Any, wrapper: Any) -> Method:
    wrapper.__name__, wrapper.__qualname__, wrapper.__doc__ = real.__name__, real.__qualname__, real.__doc__
    wrapper.__wrapped__ = real
    return wrapper  # type: ignore[no-any-return]
