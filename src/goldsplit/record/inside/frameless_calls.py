"""Which spans need no frame of their own: those of functions whose code is theirs alone.

A stack sample shows such a function's own frame. Its file and lines are written down with its stage, and
samples are put into stages by that.
"""

from __future__ import annotations

import inspect
import sys
import weakref
from types import CodeType, FunctionType
from typing import Any

from goldsplit.record.inside import framed_calls as framed
from goldsplit.record.inside.core import IS_COMPILED, end_call, span_call, wait_call
from goldsplit.record.inside.engine import ENGINE

_RUNS_LATER = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR

_placed: list[tuple[Any, str]] = []
"""Where compiled callables are: (reference to their owner, name)."""
_are_unwanted: list[bool] = []


def own_code(fn: Any) -> CodeType | None:
    """The code that runs in calls of a function and of no other: below what decorators made. None where there
    is no such code, or where it runs after the call has returned."""
    inner = inspect.unwrap(fn) if isinstance(fn, FunctionType) else None
    if not isinstance(inner, FunctionType) or "<locals>" in inner.__qualname__:
        return None
    return None if inner.__code__.co_flags & _RUNS_LATER else inner.__code__


def is_unframed(call: Any) -> bool:
    """Whether something is one of the compiled callables that are spans."""
    return IS_COMPILED and type(call) in (span_call, wait_call, end_call)


def may_be_unframed(fn: Any, stage: str) -> bool:
    """Whether calls of a function can be spans without a frame; then its code is written down for samples."""
    code = own_code(fn) if IS_COMPILED and not _are_unwanted else None
    if code is not None:
        write_down(code, stage)
    return code is not None


def write_down(code: CodeType, stage: str) -> None:
    """For samples: frames of this code are in this stage."""
    lines = [line for *_, line in code.co_lines() if line is not None]
    ENGINE.events.append(
        {
            "k": "code",
            "file": code.co_filename,
            "name": code.co_name,
            "first": code.co_firstlineno,
            "last": max(lines, default=code.co_firstlineno),
            "stage": stage,
        }
    )


def by_file(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events as they are written: code that has a stage, of which there is much, in one line per file."""
    codes: dict[str, list[Any]] = {}
    for event in events:
        if event["k"] == "code":
            row = [event["name"], event["first"], event["last"], event["stage"]]
            codes.setdefault(event["file"], []).append(row)
    others = [event for event in events if event["k"] != "code"]
    return [*({"k": "codes", "file": file, "codes": rows} for file, rows in codes.items()), *others]


def take_back(call: Any) -> Any:
    """The function that a wrapper of ours is around, whose calls are no spans any more."""
    code = own_code(call.__wrapped__) if is_unframed(call) else None
    if code is not None:
        write_down(code, "")
    return call.__wrapped__


def placed(owner: Any, name: str) -> None:
    """Remember where a compiled callable is, to be able to take it back."""
    _placed.append((weakref.ref(owner), name))


def make_way_for_compiling() -> None:
    """torch.compile looks into functions and knows ours in Python: from now on there are no others."""
    _are_unwanted.append(True)
    while _placed:
        reference, name = _placed.pop()
        owner = reference()
        call: Any = None if owner is None else vars(owner).get(name)
        inner = getattr(call, "__func__", call)
        if type(inner) is span_call:
            plain = framed.span_call(*inner._goldsplit_parts())
            setattr(owner, name, type(call)(plain) if inner is not call else plain)


def send_by_value(cloudpickle: Any) -> None:
    """Compiled callables are pickled by name, as functions are; cloudpickle sends a script's own whole."""
    real = cloudpickle.Pickler.reducer_override

    def reducer_override(self: Any, given: Any) -> Any:
        return _made_again(given) if is_unframed(given) else real(self, given)

    cloudpickle.Pickler.reducer_override = reducer_override


def _made_again(call: Any) -> Any:
    found: Any = None if call.__module__ == "__main__" else sys.modules.get(call.__module__)
    for part in call.__qualname__.split("."):
        found = getattr(found, part, None)
    return call.__qualname__ if found is call else (type(call), call._goldsplit_parts())
