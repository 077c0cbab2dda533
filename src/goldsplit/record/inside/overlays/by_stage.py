"""Change all calls of one stage: only the outermost of nested ones, which is what a report counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from goldsplit.record.inside.alterations import alter_stages, call_ended, leaves_out

Instead = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""Is given the program's function and its arguments, and returns what the call returns, or a `LeftOut`."""

_inside = threading.local()
_instead: dict[str, list[Instead]] = {}


class LeftOut(NamedTuple):
    """What the program gets for a call that was not made, and so is not counted as an update or a step."""

    answer: Any = None


def instead_of(stage: str, call: Instead, may_leave_out: bool = False) -> None:
    """Let `call` answer the calls of a stage."""
    if not _instead:
        alter_stages(_altered)
    if may_leave_out:
        leaves_out(stage)
    _instead.setdefault(stage, []).append(call)


def forget() -> None:
    """Change no stage any more: for tests."""
    _instead.clear()


def _altered(function: Any, stage: str) -> Any:
    if stage not in _instead:
        return function

    def changed(*args: Any, **kwargs: Any) -> Any:  # refers to functions only: it may be sent to a worker
        return answer(stage, function, args, kwargs)

    return changed


def answer(stage: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """One call of a function of this stage."""
    stages = getattr(_inside, "stages", None)
    if stages is None:
        stages = _inside.stages = set()
    calls = _instead.get(stage, ())
    was_left_out = False
    try:
        if stage in stages or not calls:
            return function(*args, **kwargs)
        stages.add(stage)
        try:
            made = _through(calls, function, args, kwargs)
        finally:
            stages.discard(stage)
        while type(made) is LeftOut:
            was_left_out, made = True, made.answer
        return made
    finally:
        call_ended(was_left_out)


def _through(calls: Sequence[Instead], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """One call through all overlays of a stage, the last one outermost."""
    *inner, last = calls
    if not inner:
        return last(function, args, kwargs)

    def below(*args: Any, **kwargs: Any) -> Any:
        return _through(inner, function, args, kwargs)

    below.__qualname__ = getattr(function, "__qualname__", "")  # answers are kept by it
    return last(below, args, kwargs)
