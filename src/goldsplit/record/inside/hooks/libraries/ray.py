"""Ray: waiting for actors and tasks, sending to them, and what its worker processes do.

A worker is started by Ray's own server, which has the driver's environment: so workers record themselves. An
actor and those who ask it share a *channel*, named after the actor, as the two ends of a pipe are: a wait
for one of its results is charged to what its process does meanwhile.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any

from goldsplit.model.stage import VEC_RECV, VEC_SEND, VEC_WAIT, WAITING
from goldsplit.model.wire import Key, Line, WaitDetail
from goldsplit.record.inside import framed_calls, lifecycle
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import enter_wait, leave_as, this_thread
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.hooks.patching import stage_attribute, stage_methods
from goldsplit.record.inside.snapshot_thread import SnapshotThread

#: Ray's own programs beside the workers: nothing of the training is in them.
_SERVICES = ("/ray/dashboard/", "/ray/autoscaler/", "/ray/_private/log_monitor", "/ray/_private/runtime_env/")
#: A worker without a task for so long writes a snapshot: Ray ends its workers without asking them.
IDLE_SECONDS = 0.02


def is_service(argv: Sequence[str]) -> bool:
    """Whether a process is one of Ray's own, which are not recorded."""
    return any(part in argument for argument in argv[1:4] for part in _SERVICES)


def install() -> None:
    """Wait for the modules that ask, send and execute."""
    when_imported("ray._private.worker", _watch_results)
    when_imported("ray.actor", _stage_calls)
    when_imported("ray.remote_function", _stage_tasks)
    when_imported("ray._private.function_manager", _watch_execution)


def channel(actor_id: Any) -> str:
    """The channel of an actor; empty for what no actor makes."""
    return "" if actor_id.is_nil() else f"{WaitDetail.PIPE}{int(actor_id.hex()[:12], 16)}"


def channel_of(refs: Any) -> str:
    """The channel of the one actor that results are asked of; empty where there are several, or none."""
    many = refs if isinstance(refs, list | tuple) else [refs]
    try:
        channels = {channel(ref.task_id().actor_id()) for ref in many}
    except Exception:  # a generator, a compiled graph, another version
        return ""
    return channels.pop() if len(channels) == 1 else ""


def _watch_results(module: ModuleType) -> None:
    stage = sys.intern(VEC_WAIT)
    stage_methods(module.Worker, {"deserialize_objects": VEC_RECV})
    stage_methods(module, {"put": VEC_SEND})
    real_get, real_wait = module.get, module.wait

    @functools.wraps(real_get)
    def get(object_refs: Any, *args: Any, **kwargs: Any) -> Any:
        state = this_thread()
        if state.current.stage in WAITING:
            return real_get(object_refs, *args, **kwargs)
        node = state.enter(stage, channel_of(object_refs))
        try:
            return real_get(object_refs, *args, **kwargs)
        finally:
            state.leave(node)

    @functools.wraps(real_wait)
    def wait(*args: Any, **kwargs: Any) -> Any:
        node = enter_wait(stage)
        if node is None:
            return real_wait(*args, **kwargs)
        ready: Any = ()
        try:
            ready, rest = real_wait(*args, **kwargs)
            return ready, rest
        finally:
            leave_as(node, channel_of(list(ready)))

    module.get = framed_calls.named(get, real_get, VEC_WAIT)  # type: ignore[attr-defined]
    module.wait = framed_calls.named(wait, real_wait, VEC_WAIT)  # type: ignore[attr-defined]


def _stage_calls(module: ModuleType) -> None:
    stage_attribute(module.ActorHandle, "_actor_method_call", VEC_SEND)


def _stage_tasks(module: ModuleType) -> None:
    stage_attribute(module.RemoteFunction, "_remote", VEC_SEND)


def _watch_execution(module: ModuleType) -> None:
    """In a worker: every function that it executes for others, and what the process is called."""
    manager = module.FunctionActorManager
    real = manager.get_execution_info
    watched: dict[int, Any] = {}

    @functools.wraps(real)
    def get_execution_info(self: Any, *args: Any, **kwargs: Any) -> Any:
        info = real(self, *args, **kwargs)
        try:
            if id(info) not in watched:
                watched[id(info)] = (info, info._replace(function=executed(info.function)))
            return watched[id(info)][1]
        except Exception as error:  # another version: the worker is recorded, without its tasks
            ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: f"Ray's tasks are not seen: {error!r}"})
            return info

    manager.get_execution_info = get_execution_info


def executed(function: Any) -> Any:
    """A function as a worker executes it: it ends the wait for a task, and begins the next. Coroutines take
    turns in one thread, which never waits for a single one: they stay as they are."""
    method = getattr(function, "method", function)
    if not isinstance(function, FunctionType) or inspect.iscoroutinefunction(method):
        return function

    @functools.wraps(function)
    def execute(*args: Any, **kwargs: Any) -> Any:
        TASKS.begin()
        try:
            return function(*args, **kwargs)
        finally:
            TASKS.end(args)

    return execute


class Tasks:
    """The waits of a worker's threads between two tasks, and the snapshot when there is nothing to do."""

    def __init__(self, flush: Callable[[], None]) -> None:
        self._waits = threading.local()
        self._flush = flush
        self._channel: str | None = None
        self._begun = 0
        self._wake = threading.Lock()
        self._writer: SnapshotThread | None = None

    def begin(self) -> None:
        """A task begins: the wait for it is over."""
        self._begun += 1
        node = getattr(self._waits, "node", None)
        if node is not None:
            self._waits.node = None
            this_thread().leave(node)

    def end(self, args: tuple[Any, ...]) -> None:
        """A task has ended: its result is sent, and the next is waited for."""
        try:
            if self._channel is None:
                self._channel = self._introduce(args)
            state = this_thread()
            state.leave(state.enter(VEC_SEND, self._channel))
            if state.current is state.root:  # else the task was called by another one, here
                self._waits.node = state.enter(VEC_WAIT, self._channel)
            self._write_when_idle()
        except Exception as error:
            ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: f"a task of Ray was not seen: {error!r}"})

    @staticmethod
    def _introduce(args: tuple[Any, ...]) -> str:
        """Write which actor this process is; its channel."""
        actor_id = sys.modules["ray._private.worker"].global_worker.actor_id
        if actor_id is None or actor_id.is_nil():
            return ""
        if args:
            name = type(args[0]).__name__
            ENGINE.events.append({Key.KIND: Line.CALLED, Key.TEXT: name})
        return channel(actor_id)

    def _write_when_idle(self) -> None:
        if self._writer is None:
            self._wake.acquire(blocking=False)
            self._writer = SnapshotThread(self._write)
            self._writer.start()
        if self._wake.locked():
            self._wake.release()

    def _write(self) -> None:
        while True:
            self._wake.acquire()
            begun = -1
            while begun != self._begun:  # until no task has begun for a while
                begun = self._begun
                time.sleep(IDLE_SECONDS)
            self._flush()


def _flush() -> None:
    recorder = lifecycle.RECORDER
    if recorder is not None and not recorder.finished:
        recorder.flush()


TASKS = Tasks(_flush)
