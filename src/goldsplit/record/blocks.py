"""`goldsplit.stage(...)` while something records: a context manager and a decorator."""

from __future__ import annotations

from asyncio import _get_running_loop
from collections.abc import Callable
from typing import Any

from goldsplit.record.engine import ENGINE, Node, ThreadState, clock
from goldsplit.record.spans import staged


class StageBlock:
    """One `with` block, or a decorator.

    In a coroutine the block may be suspended while the thread does other work, so there it is booked beside
    the wall-time partition, as elapsed time; a decorated coroutine function is timed by running time.
    """

    __slots__ = ("_node", "_passed", "_stage", "_started_ns", "_state")

    def __init__(self, stage: str) -> None:
        self._stage = str(stage)
        self._state: ThreadState | None = None
        self._node: Node | None = None
        self._started_ns = 0
        self._passed = 0

    def __enter__(self) -> None:
        if self._state is not None:  # the same object entered again, in itself: one span is enough
            self._passed += 1
            return
        state = self._state = ENGINE.state()
        if _get_running_loop() is not None:
            self._node = state.child(state.tasks, self._stage)
            self._started_ns = clock()
            state.open_tasks[id(self)] = (self._node, self._started_ns)
        elif state.current.stage != self._stage:
            self._node = state.enter(self._stage)

    def __exit__(self, *exc: object) -> None:
        if self._passed:
            self._passed -= 1
            return
        state, node = self._state, self._node
        self._state = self._node = None
        if state is None or node is None:
            return
        if state.open_tasks.pop(id(self), None) is None:
            state.leave(node)
            return
        elapsed = clock() - self._started_ns
        node.count += 1
        node.total_ns += elapsed
        node.t0 = self._started_ns
        state.keep_raw(node, elapsed)

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        return staged(fn, self._stage)
