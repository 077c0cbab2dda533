"""The caller's side of the workers: start them, command them, notice when one is gone, end them."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import pickle
import time
import weakref
from collections.abc import Callable, Sequence
from multiprocessing import connection, reduction
from typing import Any, NoReturn

from goldsplit.fast.vector.errors import (
    EnvironmentFailedError,
    FailureReport,
    WorkerDiedError,
    failure_message,
)
from goldsplit.fast.vector.group import ResetRequest, StepRules
from goldsplit.fast.vector.infos import Note
from goldsplit.fast.vector.memory import Buffers, BufferSpec, SharedBlock, block_size, build_buffers
from goldsplit.fast.vector.shares import check_alike, owners
from goldsplit.fast.vector.sync import LIVENESS_SECONDS, Waiting
from goldsplit.fast.vector.worker import (
    APPLY,
    CLOSE,
    IN_MEMORY,
    NOTHING,
    REHEARSE,
    RESET,
    STEP,
    Hello,
    Setup,
    WorkerLink,
    worker_main,
)

CLOSE_SECONDS = 5.0  # for environments to close in good order
HANG_UP_SECONDS = 0.5  # after a failure


class WorkerPool:
    """Worker processes, each with a run of neighbouring environments."""

    buffers: Buffers

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        spans: Sequence[range],
        context: str | None,
        spin_us: float,
    ) -> None:
        self._context = multiprocessing.get_context(context)
        self._spin_us = spin_us
        self._waiting = Waiting(spin_us)
        self.spans = list(spans)
        self.worker_of = owners(self.spans)
        self._go = [self._context.Semaphore(0) for _ in self.spans]
        self._done = [self._context.Semaphore(0) for _ in self.spans]
        self._arrivals = self._context.Semaphore(0)
        self._pipes: list[Any] = []
        self._processes: list[Any] = []
        self._pending: set[int] = set()
        # Ends the workers when the caller forgets to close; holds no reference to the pool itself.
        self._finalizer = weakref.finalize(self, _end_processes, os.getpid(), self._processes, self._pipes)
        try:
            for worker in range(len(self.spans)):
                self._start(worker, env_fns)
        except BaseException:
            self.terminate()
            raise

    def _start(self, worker: int, env_fns: Sequence[Callable[[], Any]]) -> None:
        span = self.spans[worker]
        own = list(env_fns[span.start : span.stop])
        forked = self._context.get_start_method() == "fork"
        ours, theirs = self._context.Pipe(duplex=True)
        self._pipes.append(ours)
        link = WorkerLink(
            worker, span.start, own if forked else cloudpickled(own), theirs, self._go[worker],
            self._done[worker], self._arrivals, self._spin_us, list(self._pipes) if forked else [],
        )  # fmt: skip
        name = f"goldsplit-env-worker-{worker}"
        process = self._context.Process(target=worker_main, args=(link,), name=name, daemon=True)  # type: ignore[attr-defined]
        process.start()
        self._processes.append(process)
        theirs.close()  # so that the pipe hangs up when the worker dies

    @functools.cached_property
    def hello(self) -> Hello:
        """Wait until every worker has built its environments, and check that they are alike."""
        hellos: list[Hello] = [self._receive(worker, "construction") for worker in range(len(self.spans))]
        for span, hello in zip(self.spans, hellos, strict=True):
            check_alike(hellos[0], hello, span.start)
        return hellos[0]

    def set_up(self, spec: BufferSpec, rules: StepRules) -> None:
        """Make the shared memory and hand it to every worker."""
        block = SharedBlock(block_size(spec))
        try:
            self.buffers = build_buffers(spec, block.memory)
            for pipe, process in zip(self._pipes, self._processes, strict=True):
                pipe.send(Setup(spec, rules))
                block.send(pipe, process.pid)
            for worker in range(len(self.spans)):
                self._receive(worker, "set-up")
        except ConnectionError:
            self._raise_died(self._first_dead(), "set-up")
        finally:
            block.close_descriptor()

    def _first_dead(self) -> int:
        gone = [is_gone(process) for process in self._processes]
        return gone.index(True) if True in gone else 0

    # Steps

    def begin_step(self, workers: Sequence[int]) -> None:
        """Let workers step with the actions in the buffers, and tell when each is ready."""
        for worker in workers:
            self._order(worker, STEP, announce=True)

    def begin_all(self) -> None:
        """Let every worker step."""
        for worker in range(len(self.spans)):
            self._order(worker, STEP)

    def finish_all(self) -> list[Note]:
        """Wait for every worker."""
        return [note for worker in range(len(self.spans)) for note in self.finish(worker)]

    def _order(self, worker: int, order: int, announce: bool = False) -> None:
        self.buffers.command[worker] = order
        self.buffers.announce[worker] = announce
        self._pending.add(worker)
        self._go[worker].release()

    def finish(self, worker: int, doing: str = "step") -> list[Any]:
        """Wait for one worker, and take what it has to say beside the arrays."""
        done = self._done[worker]
        while not self._waiting.acquire(done, LIVENESS_SECONDS):
            self._fail_if_dead(doing)
        return self._take(worker, doing)

    def _take(self, worker: int, doing: str) -> list[Any]:
        self._pending.discard(worker)
        kind = self.buffers.reply[worker]
        if kind == NOTHING:
            return []
        if kind == IN_MEMORY:
            found: list[Any] = pickle.loads(self.buffers.mail[worker, : self.buffers.mail_bytes[worker]].data)
            return found
        answer: list[Any] = self._receive(worker, doing)
        return answer

    def finish_some(self, at_least: int, waits: bool = True) -> tuple[list[int], list[Note]]:
        """Workers with that many environments, of those begun with `begin_step`; or what is ready now."""
        ready: list[int] = []
        notes: list[Note] = []
        while at_least > 0:
            if not waits and not self._arrivals.acquire(False):
                break
            while waits and not self._waiting.acquire(self._arrivals, LIVENESS_SECONDS):
                self._fail_if_dead("step")
            # A worker raises its own semaphore before the shared one: at least one is there to be taken.
            worker = next(one for one in self._pending if self._done[one].acquire(False))
            notes += self._take(worker, "step")
            ready.append(worker)
            at_least -= len(self.spans[worker])
        return sorted(ready), notes

    # Commands with a payload

    def command(self, order: int, payloads: dict[int, Any], doing: str) -> dict[int, list[Any]]:
        """Send an order with a payload to workers, and wait for all answers."""
        self._send(order, payloads, doing)
        return {worker: self.finish(worker, doing) for worker in payloads}

    def _send(self, order: int, payloads: dict[int, Any], doing: str) -> None:
        # All is pickled before anybody is woken: what cannot be is the caller's error, and nothing has begun.
        messages = {at: reduction.ForkingPickler.dumps(payload) for at, payload in payloads.items()}
        for worker, message in messages.items():
            self._order(worker, order)
            try:
                self._pipes[worker].send_bytes(message)
            except ConnectionError:
                self._raise_died(worker, doing)

    def reset(self, request: ResetRequest) -> list[Note]:
        """Reset the chosen environments; workers without one are left alone."""
        self.begin_reset(request)
        return self.finish_reset()

    def begin_reset(self, request: ResetRequest) -> None:
        """Let the workers of the chosen environments reset them."""
        parts = {worker: request.of(span) for worker, span in enumerate(self.spans)}
        self._send(RESET, {worker: part for worker, part in parts.items() if any(part.chosen)}, "reset")

    def finish_reset(self) -> list[Note]:
        """Wait for every worker that is resetting."""
        return [note for worker in sorted(self._pending) for note in self.finish(worker, "reset")]

    def apply(self, function: Callable[..., Any], arguments: dict[int, tuple[Any, ...]]) -> list[Any]:
        """`function(env, *arguments[index])` in the process of each environment, results in that order."""
        calls: dict[int, list[tuple[Any, ...]]] = {}
        for index, values in arguments.items():
            worker = self.worker_of[index]
            calls.setdefault(worker, []).append((function, index - self.spans[worker].start, values))
        doing = getattr(function, "__name__", "a call")
        answers = {worker: iter(found) for worker, found in self.command(APPLY, calls, doing).items()}
        return [opened(next(answers[self.worker_of[index]])) for index in arguments]

    def rehearse(self, step_ns: int) -> None:
        """One vector step in which every environment only takes its time (negative: asleep)."""
        self.begin_rehearsal(step_ns)
        self.finish_all()

    def begin_rehearsal(self, step_ns: int) -> None:
        """Let every worker take the time of its environments."""
        for worker, span in enumerate(self.spans):
            self.buffers.rehearsal_ns[worker] = len(span) * step_ns
            self._order(worker, REHEARSE)

    # Failures and the end

    def _receive(self, worker: int, doing: str) -> Any:
        """The next message of a worker; the pipe hangs up when it dies, so this cannot wait for ever."""
        try:
            answer = self._pipes[worker].recv()
        except (EOFError, ConnectionError):
            self._raise_died(worker, doing)
        if isinstance(answer, FailureReport):
            self.terminate()
            text = failure_message(answer.env_index, answer.doing, answer.error, answer.traceback)
            raise EnvironmentFailedError(text, answer.env_index, answer.traceback)
        return answer

    def _fail_if_dead(self, doing: str) -> None:
        """Raise when a worker that owes an answer is gone."""
        for worker in self._pending:
            if is_gone(self._processes[worker]):
                self._raise_died(worker, doing)

    def _raise_died(self, worker: int, doing: str) -> NoReturn:
        self._processes[worker].join(CLOSE_SECONDS)  # the pipe hangs up a moment before the process is over
        span, code = self.spans[worker], self._processes[worker].exitcode
        at = int(self.buffers.progress[worker]) if hasattr(self, "buffers") else 0
        self.terminate()
        how = (
            f"was killed by signal {-code}"
            if code is not None and code < 0
            else f"ended with exit code {code}"
        )
        raise WorkerDiedError(
            f"worker {worker} with environments {span.start} to {span.stop - 1} {how} during {doing}; "
            f"it was last working on environment {span.start + at}\n"
            "hint: signal 9 is often the kernel running out of memory, signal 11 a crash in native code; "
            'backend="inprocess" shows the latter in this process',
            span.start + at,
        )

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids, by worker."""
        return tuple(process.pid for process in self._processes)

    @property
    def ended(self) -> bool:
        """Whether the workers are gone."""
        return not self._finalizer.alive

    def close(self) -> None:
        """Ask every worker to close its environments and end, and wait for that."""
        if self._finalizer.alive:
            for worker in range(len(self.spans)):
                self._order(worker, CLOSE)
            _join_all(self._processes, CLOSE_SECONDS)
        self.terminate()

    def terminate(self) -> None:
        """End all workers within moments; those that hang are killed."""
        self._finalizer()


def is_gone(process: Any) -> bool:
    """Whether the process has ended; unlike `is_alive` also right when other code waited for it."""
    return bool(connection.wait([process.sentinel], timeout=0))


def _join_all(processes: list[Any], limit_seconds: float) -> None:
    deadline = time.monotonic() + limit_seconds
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))


def _end_processes(owner: int, processes: list[Any], pipes: list[Any]) -> None:
    if os.getpid() != owner:  # a forked copy of the caller must not end the caller's workers
        return
    for pipe in pipes:
        pipe.close()  # workers close their environments when the pipe hangs up
    _join_all(processes, HANG_UP_SECONDS)
    for process in processes:
        if not is_gone(process):
            process.kill()
        process.join()
        with contextlib.suppress(ValueError):  # "still running": other code waited for it
            process.close()
    processes.clear()
    pipes.clear()


def opened(outcome: tuple[Any, FailureReport | None]) -> Any:
    """The value of a call in a worker, or its exception raised here with the worker's traceback as cause."""
    value, report = outcome
    if report is None:
        return value
    text = failure_message(report.env_index, report.doing, report.error, report.traceback)
    failed = EnvironmentFailedError(text, report.env_index, report.traceback)
    if isinstance(value, BaseException):
        raise value from failed
    raise failed


def cloudpickled(env_fns: Sequence[Callable[[], Any]]) -> bytes:
    import cloudpickle  # type: ignore[import-untyped]

    return bytes(cloudpickle.dumps(list(env_fns)))
