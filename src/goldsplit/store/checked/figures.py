"""Numbers of run files. What no run can have measured is damage: calculating with it would overflow."""

from __future__ import annotations

from typing import Any

#: More than any time in nanoseconds and any count.
MOST = 1 << 62


def whole(value: Any) -> int:
    """A whole number; raises one of DAMAGE where it is none, or absurd."""
    number = int(value)
    if not -MOST < number < MOST:
        raise ValueError("an absurd number")
    return number


def count(value: Any) -> int:
    """A number that counts or points; never negative."""
    number = whole(value)
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number


def real(value: Any) -> float:
    """Any number; raises one of DAMAGE where it is none, or absurd."""
    number = float(value)
    if not -MOST < number < MOST:  # NaN is neither
        raise ValueError("an absurd number")
    return number
