"""`goldsplit.stage(...)` while something records: a context manager and a decorator."""

from __future__ import annotations

import functools
import inspect
import sys
from asyncio import _get_running_loop
from typing import Any

from goldsplit.model.stage import as_stage_name, stage_hint, stage_named_after
from goldsplit.model.usual_names import stage_of_function
from goldsplit.model.wire import Key, Line
from goldsplit.record.inside.core import this_thread
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import count_failure
from goldsplit.record.inside.span_wrapping import staged

_SUSPENDABLE = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE

_LRU_CACHE: Any = type(functools.lru_cache(len))


#: What was given → the stage's name, "" where it names none; blocks are entered in hot loops.
_NAMES: dict[str, str] = {}
#: A program may make up names for ever.
_MOST_NAMES = 1000
_MOST_TOLD = 20
_told: set[str] = set()


def _name_of(text: str) -> str:
    name = as_stage_name(text)
    if not name and text not in _told and len(_told) < _MOST_TOLD:
        _told.add(text)
        note = (
            f"goldsplit.stage({text[:80]!r}) is left out: that is not a stage name; {stage_hint(text[:80])}"
        )
        ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: note})
    if len(_NAMES) < _MOST_NAMES:
        _NAMES[text] = name
    return name


class StageBlock:
    """One `with` block, or a decorator. Where the text names no stage, nothing at all: a program may make up
    its names hours after its start.

    In a coroutine the block may be suspended while the thread does other work, so there it is counted beside
    the wall-time partition, as elapsed time; a decorated coroutine function is timed by running time.
    """

    __slots__ = ("_open", "_stage")

    def __init__(self, stage: str) -> None:
        text = str(stage)
        known = _NAMES.get(text)
        self._stage = _name_of(text) if known is None else known
        # One object may be open in several threads, and several times in one.
        self._open: list[tuple[ThreadState, Node | None, int]] = []

    def __enter__(self) -> None:
        if not self._stage:
            return
        try:
            state = this_thread()
            node: Node | None = None
            started_ns = 0
            if _get_running_loop() is not None and sys._getframe(1).f_code.co_flags & _SUSPENDABLE:
                started_ns = clock()
                node = state.child(state.tasks, self._stage)
                state.open_tasks[started_ns] = (node, started_ns)
            elif state.current.stage != self._stage:
                node = state.enter(self._stage)
            self._open.append((state, node, started_ns))
        except Exception as error:
            if not count_failure("the start of a block", error):
                raise

    def __exit__(self, *exc: object) -> None:
        try:
            self._close()
        except Exception as error:
            if not count_failure("the end of a block", error):
                raise

    def _close(self) -> None:
        here = this_thread()
        entry = next((entry for entry in reversed(self._open) if entry[0] is here), None)
        if entry is None:
            return
        self._open.remove(entry)
        state, node, started_ns = entry
        if node is None:
            return
        if started_ns:
            state.end_task(node, started_ns)
        else:
            state.leave(node)

    def __call__(self, fn: Any) -> Any:
        return decorated(fn, self._stage) if self._stage else fn


def stage_decorated(fn: Any) -> Any:
    """`@goldsplit.stage` without a name: the stage that the function's own name stands for, else one of the
    program's own."""
    named = fn.fget if isinstance(fn, property) else fn
    name = str(getattr(named, "__name__", type(named).__name__))
    return decorated(fn, stage_of_function(name) or stage_named_after(name))


def decorated(fn: Any, stage: str) -> Any:
    """A function, or what a class has in place of one, with its calls as spans of a stage.

    Anything else is given back as it is: a class or an object that can be called is more than its calls, and
    must stay what it is outside a recording.
    """
    try:
        if isinstance(fn, staticmethod | classmethod):
            return type(fn)(staged(fn.__func__, stage))
        if type(fn) is property and fn.fget is not None:
            return property(staged(fn.fget, stage), fn.fset, fn.fdel, fn.__doc__)
        if inspect.isroutine(fn) or isinstance(fn, functools.partial | _LRU_CACHE):
            return staged(fn, stage)
    except Exception as error:
        if not count_failure("a decorated function", error):
            raise
    else:
        text = f"goldsplit.stage decorates functions and methods; {fn!r:.80} is left as it is"
        ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: text})
    return fn
