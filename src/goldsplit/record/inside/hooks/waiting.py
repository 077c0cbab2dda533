"""See threads wait, and see which thread or process ended each wait.

A wait's *detail* names its other side: ``t:<thread id>`` for the thread that notified, ``pipe:<inode>`` for a
pipe's near end (the far end's inode is written when the pipe is made), ``pid:<process id>`` for a process.
"""

from __future__ import annotations

import os
import selectors
import sys
import threading
from collections.abc import Callable
from operator import attrgetter
from types import ModuleType
from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.model.stage import EVAL, VEC_RECV, VEC_SEND, VEC_WAIT, WAIT, WAITING
from goldsplit.model.wire import Key, Line, WaitDetail
from goldsplit.record.inside import framed_calls
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import (
    count_command,
    end_call,
    enter_wait,
    leave_as,
    rare_call,
    set_up_waiting,
    this_thread,
    wait_call,
    waker_call,
)
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.facts import add_fact, users_place
from goldsplit.record.inside.framed_calls import span_call
from goldsplit.record.inside.frameless_calls import may_be_frameless
from goldsplit.record.inside.hooks.messages import watch_sizes
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.hooks.stepping import is_evaluating
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import count_failure, harmless

_WAKER = "_goldsplit_waker"


def install() -> None:
    """Patch the places where Python code waits."""
    set_up_waiting(WAITING, _channel)
    _watch_conditions()
    _watch(threading.Thread, "join", lambda thread: f"{WaitDetail.THREAD}{thread.native_id or 0}")
    for name in ("EpollSelector", "PollSelector", "SelectSelector"):
        if hasattr(selectors, name):
            _watch(getattr(selectors, name), "select", None)
    when_imported("multiprocessing.connection", _watch_connections)
    when_imported("multiprocessing.queues", _stage_message_queues)
    when_imported("multiprocessing.process", _watch_processes)
    when_imported("multiprocessing.synchronize", _watch_semaphores)
    when_imported("subprocess", _watch_subprocesses)
    when_imported("queue", _watch_queues)
    when_imported("concurrent.futures._base", _watch_futures)
    when_imported("concurrent.futures.thread", _stage_pools)
    when_imported("concurrent.futures.process", _stage_pools)


def _watch(
    owner: Any, name: str, detail_of: Callable[[Any], str] | None, unless: framed_calls.Unless = ()
) -> None:
    """Make a method a waiting span; after the call the object is asked who ended the wait. `unless`: see
    `framed_calls.wait_call`; the first argument of most of these methods is a time."""
    real, stage = getattr(owner, name), sys.intern(WAIT)
    if may_be_frameless(real, stage):
        setattr(owner, name, wait_call(real, stage, detail_of, unless))
    else:
        setattr(owner, name, framed_calls.wait_call(real, stage, detail_of, unless))


def _watch_conditions() -> None:
    """Queues, events, futures, executors, barriers: all wait on a Condition and are notified through it."""
    _watch(threading.Condition, "wait", attrgetter(_WAKER))
    threading.Condition.notify = waker_call(threading.Condition.notify)  # type: ignore[method-assign]


def _watch_queues(module: ModuleType) -> None:
    """A queue's own lock is waited for too, while the other side holds it; so the whole call is the wait."""
    _watch(module.Queue, "get", attrgetter("not_empty." + _WAKER))
    _watch(module.Queue, "put", attrgetter("not_full." + _WAKER), unless=None)


def _watch_futures(module: ModuleType) -> None:
    """As with a queue: a future's lock and the way out of its wait are part of waiting for its result."""
    _watch(module.Future, "result", attrgetter("_condition." + _WAKER), ("_state", module.FINISHED))


def _stage_pools(module: ModuleType) -> None:
    """Handing work over is communication; in a thread pool's `submit` a thread may lose the GIL."""
    for name in ("ThreadPoolExecutor", "ProcessPoolExecutor"):
        if name in vars(module):
            stage_attribute(vars(module)[name], "submit", VEC_SEND, rare_call(_after_submit))
            if name == "ThreadPoolExecutor":
                _hand_on_evaluations(module.ThreadPoolExecutor)


def _hand_on_evaluations(pool: Any) -> None:
    """What an evaluation hands to a pool of threads belongs to it: its steps are none of the training's."""
    real = pool.submit

    def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            work = span_call(fn, sys.intern(EVAL)) if is_evaluating() else fn
        except Exception as error:
            if not count_failure("handing an evaluation on", error):
                raise
            work = fn
        return real(self, work, *args, **kwargs)

    pool.submit = framed_calls.named(submit, real, VEC_SEND)


def _after_submit(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    kind = "thread" if type(args[0]).__name__ == "ThreadPoolExecutor" else "process"
    add_fact(FactKind.POOL_SUBMIT, kind, place=users_place())


def _channel(connection: Any) -> str:
    """The identity of a connection's own end, asked of the system once per object."""
    channel: str | None = getattr(connection, "_goldsplit_channel", None)
    if channel is None:
        channel = f"{WaitDetail.PIPE}{os.fstat(connection.fileno()).st_ino}"
        connection._goldsplit_channel = channel
    return channel


def _watch_connections(module: ModuleType) -> None:
    connection = module.Connection
    _watch_end(connection, "_recv_bytes", VEC_WAIT)
    stage_attribute(module._ConnectionBase, "recv", VEC_RECV)
    watch_sizes(module)
    for name in ("send", "send_bytes"):
        _watch_end(module._ConnectionBase, name, VEC_SEND, count_command)
    real_wait, real_pipe, stage = module.wait, module.Pipe, sys.intern(VEC_WAIT)

    def wait(object_list: Any, timeout: float | None = None) -> Any:
        node = enter_wait(stage)
        if node is None:
            return real_wait(object_list, timeout)
        ready: Any = ()
        try:
            ready = real_wait(object_list, timeout)
            return ready
        finally:
            detail = ""
            with harmless("naming a pipe"):
                last = ready[-1] if ready else None
                detail = _channel(last) if isinstance(last, module._ConnectionBase) else ""
            leave_as(node, detail)

    def pipe(duplex: bool = True) -> Any:
        ends = real_pipe(duplex)
        with harmless("naming a pipe"):
            near, far = (os.fstat(end.fileno()).st_ino for end in ends)
            if near != far:
                ENGINE.events.append({Key.KIND: Line.PIPE, Key.NEAR: near, Key.FAR: far})
                this_thread()  # so that this process writes, even if it does nothing else
        return ends

    module.wait = framed_calls.named(wait, real_wait, VEC_WAIT)  # type: ignore[attr-defined]
    pipe.__doc__, pipe.__name__, pipe.__module__ = real_pipe.__doc__, "Pipe", real_pipe.__module__
    module.Pipe = pipe  # type: ignore[attr-defined]


def _watch_end(owner: Any, name: str, stage: str, look: Callable[[Any], None] | None = None) -> None:
    """Make a method of a pipe's end a span that names the pipe; `look` is given the message."""
    real, stage = getattr(owner, name), sys.intern(stage)
    if may_be_frameless(real, stage):
        setattr(owner, name, end_call(real, stage, look))
    else:
        setattr(owner, name, framed_calls.end_call(real, stage, look))


def _stage_message_queues(module: ModuleType) -> None:
    """A queue between processes unpacks what it has taken itself: after its wait, and no pipe does it. Its
    `put` only hands over to a thread that packs and sends, to which it may lose the GIL."""
    for name in ("Queue", "SimpleQueue"):
        stage_attribute(vars(module)[name], "get", VEC_RECV)
        stage_attribute(vars(module)[name], "put", VEC_SEND)
    stage_attribute(module.JoinableQueue, "put", VEC_SEND)


def _watch_processes(module: ModuleType) -> None:
    _watch(module.BaseProcess, "join", lambda process: f"{WaitDetail.PROCESS}{process.pid}")


def _watch_semaphores(module: ModuleType) -> None:
    """Semaphores, locks and events between processes: their methods are bound in `_make_methods`."""
    real = module.SemLock._make_methods

    def _make_methods(self: Any) -> None:
        real(self)
        real_acquire = self.acquire
        detail = f"{WaitDetail.SEMAPHORE}{getattr(self._semlock, 'name', '')}"

        def acquire(*args: Any, **kwargs: Any) -> Any:
            node = None
            try:
                state = this_thread()
                if state.current.stage not in WAITING:
                    node = state.enter(VEC_WAIT, detail)
            except Exception as error:
                if not count_failure("waiting for a semaphore", error):
                    raise
            if node is None:
                return real_acquire(*args, **kwargs)
            try:
                return real_acquire(*args, **kwargs)
            finally:
                leave_as(node, "")

        self.acquire = acquire

    module.SemLock._make_methods = _make_methods


def _watch_subprocesses(module: ModuleType) -> None:
    _watch(module.Popen, "wait", lambda process: f"{WaitDetail.PROCESS}{process.pid}")
