"""The worker process: builds its environments, then waits for a command, obeys, answers, until told to end.

A step needs no message at all: the caller writes actions to shared memory and raises `go`; the worker writes
results and raises `done`. A small answer lies in shared memory by then; a large one goes over the pipe after
the semaphore was raised, so that no side can block on a full pipe while the other waits for a semaphore.
"""

from __future__ import annotations

import os
import pickle
import random
import select
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import reduction
from typing import Any

import numpy as np

from goldsplit.fast.vector.environment import make_environment
from goldsplit.fast.vector.errors import FailedHereError, FailureReport
from goldsplit.fast.vector.group import EnvGroup, StepRules
from goldsplit.fast.vector.memory import (
    MAIL_BYTES,
    Buffers,
    BufferSpec,
    block_size,
    build_buffers,
    receive_block,
)
from goldsplit.fast.vector.sync import Waiting, pretend

STEP, RESET, APPLY, REHEARSE, CLOSE = range(5)
NOTHING, IN_MEMORY, IN_PIPE, FAILURE = range(4)
ORPHAN_GRACE_SECONDS = 1.0


@dataclass(slots=True)
class WorkerLink:
    """What a worker is started with."""

    worker: int
    first: int
    env_fns: bytes | Sequence[Callable[[], Any]]  # bytes: cloudpickled, for contexts that pickle
    pipe: Any
    go: Any
    done: Any
    arrivals: Any
    spin_us: float
    inherited: Sequence[Any]  # the caller's ends of other pipes, to be closed in a forked worker


@dataclass(frozen=True, slots=True)
class Hello:
    """First message of a worker: what its environments look like."""

    observation_space: Any
    action_space: Any
    metadata: dict[str, Any]
    render_mode: str | None


@dataclass(frozen=True, slots=True)
class Setup:
    """The answer to `Hello`; the shared memory's descriptor follows."""

    spec: BufferSpec
    rules: StepRules


def worker_main(link: WorkerLink) -> None:
    """Run until the caller says CLOSE, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the caller, which closes the workers
    for pipe in link.inherited:
        pipe.close()
    if not isinstance(link.env_fns, bytes):
        _part_global_generators(link.worker)
    caller_gone = threading.Event()
    watch = threading.Thread(target=_end_with_caller, args=(link, caller_gone), daemon=True)
    watch.start()
    envs: list[Any] = []
    try:
        if _build(link, envs):
            setup: Setup = link.pipe.recv()
            buffers = build_buffers(setup.spec, receive_block(link.pipe, block_size(setup.spec)))
            group = EnvGroup(envs, link.first, link.worker, buffers, setup.rules)
            _serve(link, group, buffers, caller_gone)
    except (EOFError, ConnectionError):
        pass  # the caller is gone: there is no one left to tell
    finally:
        _close_quietly(envs)
        link.pipe.close()


def _build(link: WorkerLink, envs: list[Any]) -> bool:
    """Make the environments and say hello; False when one could not be made."""
    try:
        env_fns = link.env_fns
        if isinstance(env_fns, bytes):
            import cloudpickle  # type: ignore[import-untyped]

            env_fns = cloudpickle.loads(env_fns)
        for env_fn in env_fns:
            env = make_environment(env_fn)
            check_same_spaces(env, envs, link.first)
            envs.append(env)
    except Exception as error:
        link.pipe.send(report_of(error, link.first + len(envs), "construction"))
        return False
    link.pipe.send(hello_of(envs[0]))
    return True


def hello_of(env: Any) -> Hello:
    """What an environment looks like from outside."""
    return Hello(env.observation_space, env.action_space, dict(env.metadata), env.render_mode)


def check_same_spaces(env: Any, others: Sequence[Any], first: int) -> None:
    """A new environment must have the spaces of the first."""
    for name in ("observation_space", "action_space"):
        expected, found = getattr(others[0] if others else env, name), getattr(env, name)
        if found != expected:
            raise ValueError(
                f"environment {first + len(others)} has {name} {found}, environment {first} has {expected}"
            )


def _serve(link: WorkerLink, group: EnvGroup, buffers: Buffers, caller_gone: threading.Event) -> None:
    at, pipe = link.worker, link.pipe
    command, announce, reply = buffers.command, buffers.announce, buffers.reply
    mail, mail_bytes = memoryview(buffers.mail[at]), buffers.mail_bytes
    pipe.send(None)  # set up: from here on the semaphores speak
    waiting = Waiting(link.spin_us)
    while waiting.acquire(link.go, None) and not caller_gone.is_set():
        order, announced = int(command[at]), bool(announce[at])  # the caller may set the next ones after done
        if order == STEP:
            kind, answer = _attempt(group.step, group)
        elif order == RESET:
            kind, answer = _attempt(lambda: group.reset(pipe.recv()), group)
        elif order == APPLY:
            kind, answer = _attempt(lambda: [_outcome(group, *call) for call in pipe.recv()], group)
        else:
            kind, answer = NOTHING, b""
            if order == REHEARSE:
                pretend(int(buffers.rehearsal_ns[at]))
        size = len(answer)
        if kind == IN_PIPE and size <= MAIL_BYTES:  # the caller then wakes up once, with all in place
            kind, mail[:size], mail_bytes[at] = IN_MEMORY, answer, size
        reply[at] = kind
        link.done.release()
        if announced:
            link.arrivals.release()
        if kind in (IN_PIPE, FAILURE):
            pipe.send_bytes(answer)
        if order == CLOSE or kind == FAILURE:
            return


def _attempt(action: Callable[[], list[Any]], group: EnvGroup) -> tuple[int, Any]:
    """Do it, and have the answer ready as bytes before anybody is woken: pickling can fail too."""
    try:
        answer = action()
        return (IN_PIPE, reduction.ForkingPickler.dumps(answer)) if answer else (NOTHING, b"")
    except FailedHereError as failed:
        report = report_of(failed.__cause__ or failed, failed.env_index, failed.doing)
    except Exception as error:
        report = report_of(error, group.first, "exchange with the caller")
    return FAILURE, reduction.ForkingPickler.dumps(report)


def _outcome(
    group: EnvGroup, function: Callable[..., Any], at: int, arguments: tuple[Any, ...]
) -> tuple[Any, FailureReport | None]:
    """A call's value, or its exception and report: a missing attribute is no reason to end the worker."""
    try:
        value = function(group.envs[at], *arguments)
        reduction.ForkingPickler.dumps(value)  # so that a value that cannot travel is this call's error
        return value, None
    except Exception as error:
        report = report_of(error, group.first + at, getattr(function, "__name__", "a call"))
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return None, report
        return error, report


def report_of(error: BaseException, env_index: int, doing: str) -> FailureReport:
    """An exception as text."""
    if isinstance(error, FailedHereError) and error.__cause__ is not None:
        error = error.__cause__
    text = "".join(traceback.format_exception(error))
    return FailureReport(env_index, doing, f"{type(error).__name__}: {error}", text)


def _end_with_caller(link: WorkerLink, caller_gone: threading.Event) -> None:
    """Wait for the pipe to hang up, then leave, even from a step that never returns.

    The pipe and not the parent process is watched: with fork, siblings keep each other's parent sentinels
    open, and orphans would end one after the other.
    """
    hang_up = select.poll()
    hang_up.register(link.pipe.fileno(), 0)
    hang_up.poll()
    caller_gone.set()
    link.go.release()  # an idle main thread wakes up here, closes its environments and returns
    threading.Event().wait(ORPHAN_GRACE_SECONDS)
    os._exit(1)


def _part_global_generators(worker: int) -> None:
    """Forked workers start from one state of `random` and `np.random`; make them differ, reproducibly."""
    random.seed(f"{random.getrandbits(64)}-{worker}")
    np.random.seed((int(np.random.randint(0, 2**31)) + worker * 1_000_003) % 2**32)


def _close_quietly(envs: Sequence[Any]) -> None:
    for env in envs:
        try:
            env.close()
        except Exception:
            traceback.print_exc()
