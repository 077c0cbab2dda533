"""Stepping in the caller's process: the right choice when a step costs less than waking a worker."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from goldsplit.fast.vector.environment import make_environment
from goldsplit.fast.vector.errors import EnvironmentFailedError, FailedHereError, failure_message
from goldsplit.fast.vector.group import EnvGroup, ResetRequest, StepRules
from goldsplit.fast.vector.infos import Note
from goldsplit.fast.vector.memory import Buffers, BufferSpec, private_buffers
from goldsplit.fast.vector.worker import check_same_spaces, hello_of


class InProcess:
    """All environments here, one after the other; each counts as a worker of its own for partial steps."""

    pids: tuple[int, ...] = ()
    buffers: Buffers

    def __init__(self, env_fns: Sequence[Callable[[], Any]], first: int = 0) -> None:
        self._first = first
        self._envs: list[Any] = []
        self.ended = False
        try:
            for env_fn in env_fns:
                env = make_environment(env_fn)
                check_same_spaces(env, self._envs, first)
                self._envs.append(env)
        except Exception as error:
            index = first + len(self._envs)
            self.terminate()
            _raise_failed(FailedHereError(index, "construction"), error)
        self.hello = hello_of(self._envs[0])
        self.spans = [range(index, index + 1) for index in range(len(self._envs))]
        self.worker_of = list(range(len(self._envs)))
        self._pending: list[int] = []

    def set_up(self, spec: BufferSpec, rules: StepRules) -> None:
        """Make the buffers, in memory of this process."""
        self.join(private_buffers(spec), 0, rules)

    def join(self, buffers: Buffers, worker: int, rules: StepRules) -> None:
        """Write into given buffers, in the place of that worker."""
        self.buffers = buffers
        self.group = EnvGroup(self._envs, self._first, worker, buffers, rules)

    def begin_all(self) -> None:
        """Nothing yet: the work is done when somebody waits for it."""

    def finish_all(self) -> list[Note]:
        """All environments, one step."""
        return self._guarded(self.group.step)

    def begin_step(self, workers: Sequence[int]) -> None:
        """Remember who is to step; the work is done when somebody waits for it."""
        self._pending += workers

    def finish_some(self, at_least: int) -> tuple[list[int], list[Note]]:
        """Step the first of the pending ones."""
        ready, self._pending = sorted(self._pending[:at_least]), self._pending[at_least:]
        return ready, self._guarded(lambda: self.group.step(ready))

    def reset(self, request: ResetRequest) -> list[Note]:
        """Reset the chosen environments."""
        return self._guarded(lambda: self.group.reset(request))

    def apply(self, function: Callable[..., Any], arguments: dict[int, tuple[Any, ...]]) -> list[Any]:
        """`function(env, *arguments[index])` for each environment."""
        return [function(self._envs[index - self._first], *values) for index, values in arguments.items()]

    def _guarded(self, action: Callable[[], list[Note]]) -> list[Note]:
        try:
            return action()
        except FailedHereError as failed:
            self.terminate()
            _raise_failed(failed, failed.__cause__ or failed)

    def close(self) -> None:
        """Close every environment, and raise the first error after all were tried."""
        errors = self.terminate()
        if errors:
            raise errors[0]

    def terminate(self) -> list[Exception]:
        """Close every environment once; the errors, if any."""
        envs, self._envs = self._envs, []
        self.ended = True
        errors = []
        for env in envs:
            try:
                env.close()
            except Exception as error:
                errors.append(error)
        return errors


def _raise_failed(failed: FailedHereError, error: BaseException) -> NoReturn:
    what = f"{type(error).__name__}: {error}"
    text = "".join(traceback.format_exception(error))
    raise EnvironmentFailedError(
        failure_message(failed.env_index, failed.doing, what, ""), failed.env_index, text
    ) from error
