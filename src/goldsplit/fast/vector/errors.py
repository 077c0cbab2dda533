"""What can go wrong in a vector environment.

RuntimeError
└── EnvironmentFailedError      one environment raised; its index and the traceback are in the message
    └── WorkerDiedError         a worker process went away without a word (killed, crashed in native code)
"""

from __future__ import annotations

from dataclasses import dataclass


class EnvironmentFailedError(RuntimeError):
    """An environment raised; the vector environment is closed and its processes and memory are gone."""

    def __init__(self, message: str, env_index: int, worker_traceback: str = "") -> None:
        super().__init__(message)
        self.env_index = env_index
        self.worker_traceback = worker_traceback


class WorkerDiedError(EnvironmentFailedError):
    """A worker process ended without reporting an error; `env_index` is what it was last working on."""


@dataclass(frozen=True, slots=True)
class FailureReport:
    """What a worker sends about an exception: plain text, because exceptions do not always pickle."""

    env_index: int
    doing: str
    error: str
    traceback: str


class FailedHereError(Exception):
    """Inside only: marks which environment the exception in `__cause__` came from."""

    def __init__(self, env_index: int, doing: str) -> None:
        super().__init__(f"environment {env_index} failed in {doing}")
        self.env_index = env_index
        self.doing = doing


def failure_message(env_index: int, doing: str, error: str, traceback: str) -> str:
    """The text of an `EnvironmentFailedError`: what failed first, then the traceback from where it failed."""
    head = f"environment {env_index} failed in {doing}: {error}"
    if not traceback:
        return head
    return f"{head}\n\n--- traceback of environment {env_index} ---\n{traceback.rstrip()}"
