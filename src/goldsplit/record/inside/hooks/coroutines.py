"""Coroutines that a thread hands over to an event loop of another thread, and then waits for.

Such a coroutine belongs to the stage that asked for it: a game on a server is still the game's step, although
the loop's thread runs it, and although it idles while a message travels.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Coroutine
from types import ModuleType
from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.model.stage import ROLLOUT, VEC, VEC_SEND, WAITING
from goldsplit.model.wire import COUNTED
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import rare_call, this_thread
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.facts import add_fact, users_place
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import is_programs_own
from goldsplit.record.inside.span_wrapping import RunningSpan

_NOT_ASKING = WAITING | {ROLLOUT, COUNTED}


def install() -> None:
    """Wait for asyncio."""
    when_imported("asyncio.tasks", _stage_handing_over)


def _stage_handing_over(module: ModuleType) -> None:
    real = module.run_coroutine_threadsafe

    @functools.wraps(real)
    def run_coroutine_threadsafe(coro: Any, loop: Any) -> Any:
        return real(for_the_asking_stage(coro), loop)

    module.run_coroutine_threadsafe = run_coroutine_threadsafe  # type: ignore[attr-defined]
    stage_attribute(module, "run_coroutine_threadsafe", VEC_SEND, rare_call(_after_handing_over))


def _after_handing_over(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    add_fact(FactKind.LOOP_SUBMIT, place=users_place())


def for_the_asking_stage(coro: Any) -> Any:
    """The coroutine as a span of the stage that this thread is in; as it is, where there is none."""
    try:
        stage = asking_stage(this_thread().current)
        if not stage or not inspect.iscoroutine(coro):
            return coro
        spanned: Any = _in_stage(coro, stage)
        spanned.__name__, spanned.__qualname__ = coro.__name__, coro.__qualname__
        return spanned
    except Exception as error:  # whatever is odd about it, it is handed over
        if is_programs_own(error):
            raise
        return coro


def asking_stage(node: Node | None) -> str:
    """The innermost stage that is neither communication nor the collecting loop itself."""
    while node is not None:
        stage = node.stage
        if stage and stage not in _NOT_ASKING and not stage.startswith(VEC):
            return stage
        node = node.parent
    return ""


async def _in_stage(coro: Coroutine[Any, Any, Any], stage: str) -> Any:
    return await RunningSpan(coro.__await__(), stage, elapsed=True)
