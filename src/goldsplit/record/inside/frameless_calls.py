"""Which spans need no frame of their own: those of functions that share their code with no other.

A stack sample shows such a function's own frame. Its file and lines are written down with its stage: from
these the reader knows the stage of a sample.
"""

from __future__ import annotations

import inspect
import sys
import weakref
from types import CodeType, FunctionType
from typing import Any

from goldsplit.model.wire import Key, Line
from goldsplit.record.inside import framed_calls as framed
from goldsplit.record.inside.core import IS_COMPILED, end_call, leave_recursion_to, span_call, wait_call
from goldsplit.record.inside.engine import ENGINE

_RUNS_LATER = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR

_placed: list[tuple[Any, str]] = []
"""Where compiled callables are: (reference to their owner, name)."""
_are_unwanted: list[bool] = []


def own_code(fn: Any) -> CodeType | None:
    """The code of a function below its decorators, if only this function has it; None if there is no such
    code, or if it runs after the call has returned."""
    inner = inspect.unwrap(fn) if isinstance(fn, FunctionType) else None
    if not isinstance(inner, FunctionType) or "<locals>" in inner.__qualname__:
        return None
    return None if inner.__code__.co_flags & _RUNS_LATER else inner.__code__


def is_frameless(call: Any) -> bool:
    """Whether something is one of the compiled callables that are spans."""
    return IS_COMPILED and type(call) in (span_call, wait_call, end_call)


def may_be_frameless(fn: Any, stage: str) -> bool:
    """Whether calls of a function can be spans without a frame; then its code is written down for samples."""
    code = own_code(fn) if IS_COMPILED and not _are_unwanted else None
    if code is not None:
        write_down(code, stage)
    return code is not None


def write_down(code: CodeType, stage: str) -> None:
    """For samples: frames of this code are in this stage."""
    first = code.co_firstlineno
    last = max((line for *_, line in code.co_lines() if line is not None), default=first)
    row = [code.co_name, first, last, stage]
    ENGINE.events.append({Key.KIND: Line.CODES, Key.FILE: code.co_filename, Key.CODES: [row]})


def by_file(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events as they are written: all code of one file that has a stage in one line, to save space."""
    codes: dict[str, list[Any]] = {}
    for event in events:
        if event[Key.KIND] == Line.CODES:
            codes.setdefault(event[Key.FILE], []).extend(event[Key.CODES])
    others = [event for event in events if event[Key.KIND] != Line.CODES]
    lines = ({Key.KIND: Line.CODES, Key.FILE: file, Key.CODES: rows} for file, rows in codes.items())
    return [*lines, *others]


def take_back(call: Any) -> Any:
    """The function inside a wrapper of ours; samples no longer have its stage."""
    code = own_code(call.__wrapped__) if is_frameless(call) else None
    if code is not None:
        write_down(code, "")
    return call.__wrapped__


def placed(owner: Any, name: str) -> None:
    """Remember where a compiled callable is, to be able to take it back."""
    _placed.append((weakref.ref(owner), name))


def step_aside(call: Any) -> None:
    """Put a function back into the place of its wrapper, if that is still there: it calls itself so often
    that the wrapper would use up the stack."""
    places = [(reference(), name) for reference, name in _placed]
    module: Any = sys.modules.get(call.__module__)
    *outer, last = call.__qualname__.split(".")
    for part in outer:
        module = None if module is None else vars(module).get(part)
    for owner, name in [*places, (module, last)]:
        found: Any = None if owner is None else vars(owner).get(name)
        if getattr(found, "__func__", found) is call:
            plain = call.__wrapped__
            setattr(owner, name, plain if found is call else type(found)(plain))
            text = f"{call.__qualname__} calls itself too deep: its calls are not counted from then on"
            ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: text})


leave_recursion_to(step_aside)


def make_way_for_compiling() -> None:
    """torch.compile looks into functions and knows ours in Python: from now on use only those."""
    _are_unwanted.append(True)
    while _placed:
        reference, name = _placed.pop()
        owner = reference()
        call: Any = None if owner is None else vars(owner).get(name)
        inner = getattr(call, "__func__", call)
        if type(inner) is span_call:
            plain = framed.span_call(*inner._goldsplit_parts())
            setattr(owner, name, type(call)(plain) if inner is not call else plain)
