"""Change all calls of one stage: only the outermost of nested ones, which is what a report counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.alterations import alter_stages

Instead = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""Is given the program's function and its arguments, and returns what the call returns."""

_inside = threading.local()
_instead: dict[str, list[Instead]] = {}


def instead_of(stage: str, call: Instead) -> None:
    """Let `call` answer the calls of a stage."""
    if not _instead:
        alter_stages(_altered)
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
    if stage in stages or not calls:
        return function(*args, **kwargs)
    stages.add(stage)
    try:
        return calls[-1](function, args, kwargs)
    finally:
        stages.discard(stage)
