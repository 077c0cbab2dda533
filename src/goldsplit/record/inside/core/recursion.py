"""A function that calls itself very often must not have a wrapper. What `recursion.c` does, in Python, held
to the same tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.core.failures import swallow
from goldsplit.record.inside.core.state_fields import Shared


def step_aside(wrapper: Any) -> None:
    """Take a wrapper away, so that the calls inside this one go to the function itself."""
    try:
        Shared.step_aside(wrapper)
    except Exception as error:
        if not swallow("a deep recursion", error):
            raise


def leave_recursion_to(aside: Callable[[Any], None]) -> None:
    """The function that takes a wrapper away."""
    Shared.step_aside = staticmethod(aside)
