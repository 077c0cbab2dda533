"""Goldsplit's own code has failed inside the user's program: the program goes on. What `failures.c` does, in
Python, held to the same tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.core.state_fields import Shared


def swallow(where: Any, error: Exception) -> bool:
    """Count what our code raised, in a callable or at a place. False: it goes on, because a signal's handler
    of the program raised it."""
    return Shared.count_failure(where, error)


def leave_failures_to(count: Callable[[Any, Exception], bool]) -> None:
    """The function that counts failures, and says whether they are ours."""
    Shared.count_failure = staticmethod(count)
