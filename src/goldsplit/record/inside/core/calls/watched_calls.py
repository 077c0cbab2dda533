"""Calls of one function: how many, how long, and now and then one that is looked at closely. What
`watched_calls.c` does, in Python, held to the same tests."""

from __future__ import annotations

import sys
from _thread import _local as ThreadLocal  # noqa: N812 - the C type; threading.local is the same thing
from collections.abc import Callable
from time import perf_counter_ns as clock
from types import CodeType
from typing import Any

from goldsplit.record.inside.core.failures import swallow

#: Calls inside each other that are timed; what is deeper is counted only.
MOST_OPEN = 100
#: Codes that can be reported.
MOST_CODES = 128


class WatchedCore:
    """What is counted of one function.

    ``begin(arguments, named)`` is called before a call that is looked at: with the tuple of arguments and the
    dict of named ones (None: none), or with its frame and None where the interpreter reports it. What it
    returns goes to ``end(token, result, elapsed_ns)``, unless it is None or the call raises.
    """

    __slots__ = ("begin", "calls", "countdown", "end", "own_ns", "timed", "timed_calls", "total_ns")

    def __init__(self, begin: Callable[[Any, Any], Any], end: Callable[[Any, Any, int], None]) -> None:
        self.begin = begin
        self.end = end
        self.calls = self.timed_calls = self.total_ns = self.own_ns = 0
        self.countdown = 0
        """Calls until the next one that is looked at; 0: none."""
        self.timed = True


class _Calls(ThreadLocal):
    """The calls that run in one thread, and how long our own code ran there: their clock stood still."""

    def __init__(self) -> None:
        self.open: list[list[Any]] = []
        self.lost_ns = 0


_own = _Calls()


def watched_call(real: Any, key: Any, core: WatchedCore) -> Any:
    """A function in the place of `real` that counts its calls in `core`."""

    def goldsplit_call(*args: Any, **kwargs: Any) -> Any:
        if not _begins(core, args, kwargs or None):
            return real(*args, **kwargs)
        place = len(_own.open) - 1
        try:
            result = real(*args, **kwargs)
        except BaseException:
            _close(core, place)
            raise
        _finish(core, place, result)
        return result

    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(goldsplit_call, name, getattr(real, name, None))
    goldsplit_call.__wrapped__ = real  # type: ignore[attr-defined]
    goldsplit_call._goldsplit_watched = core  # type: ignore[attr-defined]
    return goldsplit_call


class bare_watched_call:  # noqa: N801 - a function elsewhere
    """The same for a function written in C: in a class that gets no `self`, and this does not either."""

    def __init__(self, real: Any, key: Any, core: WatchedCore) -> None:
        self.goldsplit_call = watched_call(real, key, core)
        self.__wrapped__ = real

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.goldsplit_call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__wrapped__"], name)

    def __reduce__(self) -> str:
        return str(self.__wrapped__.__qualname__)


def _begins(core: WatchedCore, given: Any, named: Any) -> bool:
    """Count a call that begins; whether it is also timed."""
    core.calls += 1
    is_looked_at = False
    if core.countdown > 0:
        core.countdown -= 1
        is_looked_at = core.countdown == 0
    calls = _own.open
    if not (is_looked_at or core.timed) or len(calls) >= MOST_OPEN:
        return False
    token = None
    if is_looked_at:
        begun = clock()
        try:
            token = core.begin(given, named)
        except Exception as error:
            if not swallow(core.begin, error):
                raise
        _own.lost_ns += clock() - begun
    calls.append([core, clock() - _own.lost_ns, 0, token])
    return True


def _close(core: WatchedCore, place: int) -> tuple[Any, int]:
    """Count the time of the call at a place; calls inside it that are still open have ended unseen."""
    now = clock()
    calls = _own.open
    _, start_ns, inner_ns, token = calls[place]
    del calls[place:]
    elapsed = now - _own.lost_ns - start_ns
    core.timed_calls += 1
    core.own_ns += elapsed - inner_ns
    if all(outer[0] is not core for outer in calls):
        core.total_ns += elapsed
    if calls:
        calls[-1][2] += elapsed
    return token, elapsed


def _finish(core: WatchedCore, place: int, result: Any) -> None:
    if place >= len(_own.open) or _own.open[place][0] is not core:
        return
    token, elapsed = _close(core, place)
    if token is None:
        return
    begun = clock()
    try:
        core.end(token, result, elapsed)
    except Exception as error:
        if not swallow(core.end, error):
            raise
    _own.lost_ns += clock() - begun


_reported: dict[int, tuple[CodeType, WatchedCore | None]] = {}


def report_code(code: CodeType, core: WatchedCore | None) -> bool:
    """Calls of this code, which the interpreter reports, count there from now on; with None no longer. False:
    there are too many already."""
    if id(code) not in _reported and (core is None or len(_reported) >= MOST_CODES):
        return core is None
    _reported[id(code)] = (code, core)
    return True


def report_start(code: CodeType, offset: int) -> None:
    """A call begins."""
    core = _reported.get(id(code), (None, None))[1]
    if core is not None:
        _begins(core, sys._getframe(1), None)


def report_return(code: CodeType, offset: int, result: Any) -> None:
    """A call ends by return."""
    core = _reported.get(id(code), (None, None))[1]
    if core is not None:
        place = _place_of(core)
        if place >= 0:
            _finish(core, place, result)


def report_unwind(code: CodeType, offset: int, error: Any) -> None:
    """A call ends by an exception."""
    core = _reported.get(id(code), (None, None))[1]
    if core is not None:
        place = _place_of(core)
        if place >= 0:
            _close(core, place)


def _place_of(core: WatchedCore) -> int:
    """The innermost open call of a function; -1: none."""
    calls = _own.open
    return next((place for place in range(len(calls) - 1, -1, -1) if calls[place][0] is core), -1)
