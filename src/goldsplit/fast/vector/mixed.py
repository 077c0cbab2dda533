"""Stepping in workers and in the caller's process at once: nobody sleeps while there is work.

With as many processes as cores, a caller that only waits leaves its worker to be woken, and itself to be
woken again; one that steps the last run of environments meanwhile saves one process and both wake-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from goldsplit.fast.vector.errors import EnvironmentFailedError
from goldsplit.fast.vector.group import ResetRequest, StepRules
from goldsplit.fast.vector.infos import Note
from goldsplit.fast.vector.inprocess import InProcess
from goldsplit.fast.vector.memory import Buffers, BufferSpec
from goldsplit.fast.vector.pool import WorkerPool
from goldsplit.fast.vector.shares import check_alike, owners
from goldsplit.fast.vector.sync import pretend

Result = TypeVar("Result")


class Mixed:
    """A pool of workers for all spans but the last, which is stepped here."""

    buffers: Buffers

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        spans: Sequence[range],
        context: str | None,
        spin_us: float,
    ) -> None:
        self.spans = list(spans)
        self.worker_of = owners(self.spans)
        self._own = len(self.spans) - 1
        self._own_span = self.spans[-1]
        self._own_is_pending = self._own_was_passed_over = False
        self._pool = WorkerPool(env_fns, self.spans[:-1], context, spin_us)
        try:  # the workers build theirs meanwhile, and inherit nothing of ours
            self._here = InProcess(env_fns[self._own_span.start :], self._own_span.start)
        except BaseException:
            self._pool.terminate()
            raise
        try:
            self.hello = self._pool.hello
            check_alike(self.hello, self._here.hello, self._own_span.start)
        except BaseException:
            self.terminate()
            raise

    def set_up(self, spec: BufferSpec, rules: StepRules) -> None:
        """Make the shared memory; this process writes into it like a worker."""
        self._pool.set_up(spec, rules)
        self.buffers = self._pool.buffers
        self._here.join(self.buffers, self._own, rules)

    def begin_all(self) -> None:
        """Let every worker step; what is stepped here waits until somebody waits for it."""
        self._pool.begin_all()

    def finish_all(self) -> list[Note]:
        """Step the own environments, then wait for the workers."""
        return self._all_or_none(self._finish_all)

    def _finish_all(self) -> list[Note]:
        own = self._here.finish_all()
        return self._pool.finish_all() + own

    def begin_step(self, workers: Sequence[int]) -> None:
        """Let workers step, and remember whether the own environments are to."""
        self._own_is_pending = self._own_is_pending or self._own in workers
        self._pool.begin_step([worker for worker in workers if worker != self._own])

    def finish_some(self, at_least: int) -> tuple[list[int], list[Note]]:
        """What has arrived already, if that is enough; else the own environments as well, then the rest."""
        return self._all_or_none(lambda: self._finish_some(at_least))

    def _finish_some(self, at_least: int) -> tuple[list[int], list[Note]]:
        ready, notes = self._pool.finish_some(at_least, waits=not self._own_is_pending)
        missing = at_least - sum(len(self.spans[worker]) for worker in ready)
        if not self._own_is_pending:
            return ready, notes
        if missing <= 0 and not self._own_was_passed_over:
            self._own_was_passed_over = True  # once only: workers that are always ready must not starve them
            return ready, notes
        own = self._here.finish_all()
        self._own_is_pending = self._own_was_passed_over = False
        more, more_notes = self._pool.finish_some(missing - len(self._own_span))
        return sorted([*ready, *more, self._own]), notes + more_notes + own

    def reset(self, request: ResetRequest) -> list[Note]:
        """Reset the chosen environments, here and in the workers at once."""
        return self._all_or_none(lambda: self._reset(request))

    def _reset(self, request: ResetRequest) -> list[Note]:
        self._pool.begin_reset(request)
        own = self._here.reset(request.of(self._own_span))
        return self._pool.finish_reset() + own

    def apply(self, function: Callable[..., Any], arguments: dict[int, tuple[Any, ...]]) -> list[Any]:
        """`function(env, *arguments[index])` in the process of each environment, results in that order."""
        start = self._own_span.start
        theirs = {index: values for index, values in arguments.items() if index < start}
        ours = {index: values for index, values in arguments.items() if index >= start}
        found = dict(zip(theirs, self._pool.apply(function, theirs), strict=True))
        found |= zip(ours, self._here.apply(function, ours), strict=True)
        return [found[index] for index in arguments]

    def rehearse(self, step_ns: int) -> None:
        """One vector step in which every environment only takes its time (negative: asleep)."""
        self._pool.begin_rehearsal(step_ns)
        pretend(len(self._own_span) * step_ns)
        self._pool.finish_all()

    def _all_or_none(self, action: Callable[[], Result]) -> Result:
        """One that fails, here or there, ends both sides."""
        try:
            return action()
        except EnvironmentFailedError:
            self.terminate()
            raise

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the workers."""
        return self._pool.pids

    @property
    def ended(self) -> bool:
        """Whether the environments are gone."""
        return self._pool.ended or self._here.ended

    def close(self) -> None:
        """Close the environments on both sides."""
        self._pool.close()
        self._here.close()

    def terminate(self) -> None:
        """End all workers within moments, and close the own environments."""
        self._pool.terminate()
        self._here.terminate()
