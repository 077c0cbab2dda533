"""Nothing that goes wrong in goldsplit's own code may reach the program: it is swallowed, counted and, once
for each kind, described in the recording.

What is no failure of ours goes on: Ctrl-C, exits, what a signal's handler of the program raises while our
code runs (a time limit by `signal.alarm`, for one), and what another thread raises in it (so a thread is
stopped from outside: `PyThreadState_SetAsyncExc`), if the exception's class is not one of Python's.
"""

from __future__ import annotations

import functools
import os
import sys
from _signal import NSIG, getsignal  # type: ignore[import-not-found] # signal.getsignal makes enum members
from collections.abc import Callable, Iterator
from types import CodeType, TracebackType
from typing import Any

from goldsplit.model.wire import Key, Line
from goldsplit.record.inside.core import leave_failures_to
from goldsplit.record.inside.engine import ENGINE

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep  # noqa: PTH100, PTH120
#: Kinds of failures that are told apart; more than these are counted together.
MOST_KINDS = 40
MOST_TEXT = 200
_OTHERS = ("elsewhere", "")
#: Calls of whose values one was left out, with a note.
_LEFT_OUT: set[str] = set()
#: Whose C code may raise exceptions of their own classes right in a line of ours.
_CALLED_BY_US = frozenset({"goldsplit", "numpy", "torch"}) | sys.stdlib_module_names


def count_failure(where: Any, error: BaseException) -> bool:
    """Count what our code raised; False if it is not our failure and must go on. `where` is a callable or a
    text; the place in our code is known better from the error itself."""
    try:
        if is_programs_own(error):
            return False
        key = (_place_in_our_code(error) or _name_of(where), type(error).__name__)
        failures = ENGINE.failures
        if key not in failures and len(failures) >= MOST_KINDS:
            key = _OTHERS
        text, count = failures.get(key) or (_text_of(error), 0)
        failures[key] = (text, count + 1)
    except Exception:  # out of memory, or at the recursion limit: then it stays uncounted
        return True
    return True


def leave_out(call: str, name: Any, value: Any, error: BaseException) -> bool:
    """Note, once for each name, that a value is no number and was left out; False if the error must go on."""
    if is_programs_own(error):
        return False
    with harmless("a note"):
        told = f"goldsplit.{call}({name!r:.80}, ...)"
        if told not in _LEFT_OUT and len(_LEFT_OUT) < MOST_KINDS:
            _LEFT_OUT.add(told)
            what = "None" if value is None else f"a value of type {type(value).__name__:.80}"
            text = f"{told} was given {what}, which is no number, and left it out"
            ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: text})
    return True


def is_programs_own(error: BaseException) -> bool:
    """Whether an error is no failure of ours, although it was raised while our code ran."""
    if not isinstance(error, Exception):
        return True
    codes = [entry.tb_frame.f_code for entry in _entries(error.__traceback__)]
    return _came_from_outside(error, codes) or any(code in codes for code in _codes_of_handlers())


def _came_from_outside(error: BaseException, codes: list[CodeType]) -> bool:
    """Whether another thread raised it in a line of ours: Python then makes the error without arguments, and
    no line of ours raises a class that we do not know."""
    if error.args or not codes or not codes[-1].co_filename.startswith(_PACKAGE):
        return False
    return str(type(error).__module__).partition(".")[0] not in _CALLED_BY_US


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _codes_of_handlers() -> Iterator[CodeType]:
    for number in range(1, NSIG):
        handler: Any = getsignal(number)
        if not callable(handler):
            continue
        while isinstance(handler, functools.partial):
            handler = handler.func
        handler = getattr(handler, "__func__", handler)
        code = getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
        if isinstance(code, CodeType) and not code.co_filename.startswith(_PACKAGE):
            yield code


def _place_in_our_code(error: BaseException) -> str:
    """File and function of the innermost frame of ours."""
    codes = (entry.tb_frame.f_code for entry in _entries(error.__traceback__))
    ours = [
        code
        for code in codes
        if code.co_filename.startswith(_PACKAGE) and code.co_filename != _entries.__code__.co_filename
    ]
    return f"{ours[-1].co_filename.removeprefix(_PACKAGE)} {ours[-1].co_name}" if ours else ""


def _name_of(where: Any) -> str:
    while isinstance(where, functools.partial):
        where = where.func
    return where if isinstance(where, str) else str(getattr(where, "__qualname__", type(where).__name__))


def _text_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # the user's class, perhaps
        text = ""
    return f"{type(error).__name__}: {text}"[:MOST_TEXT].rstrip(": ")


class harmless:  # noqa: N801 - used like a function: with harmless("starting a process")
    """A block of our own code inside the program: if it fails, the program goes on after it."""

    __slots__ = ("where",)

    def __init__(self, where: Any) -> None:
        self.where = where  # a text or a callable, whose name is asked for only where something fails

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        return isinstance(error, Exception) and count_failure(self.where, error)


def safely(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` (any callable), which returns None where it fails: for what Python calls at exit, at a fork, as a
    thread."""

    @functools.wraps(fn)
    def goldsplit_safely(*args: Any, **kwargs: Any) -> Any:
        with harmless(fn):
            return fn(*args, **kwargs)

    return goldsplit_safely


leave_failures_to(count_failure)
