"""Segments of a process's loop that the deep look saw, and what they stand for.

Bursts see either all functions of the user's, or only those that were chosen because they are dear; figures
of both are kept apart, and each is set against the time that bursts of its own kind saw.
"""

from __future__ import annotations

import re
from typing import Any

from goldsplit.model.finding import Place
from goldsplit.model.recording import ProcessRecord

_PARTS = re.compile(r"(\.<locals>)?\.<(list|set|dict|gen)(comp|expr)>")
ALL, CHOSEN = 0, 1


def weights(process: ProcessRecord, mode: int) -> tuple[float, float]:
    """How many segments of either kind one seen segment of that kind stands for."""
    step, update = (
        beats / segments if segments else 0.0
        for beats, segments in zip(process.deep["beats"], process.deep["segments"][mode], strict=True)
    )
    return step, update


def seen_ns(process: ProcessRecord, mode: int) -> list[float]:
    """The time of the segments that were seen, without the cost of looking."""
    rows = zip(process.deep["seen"][mode], process.deep["events"][mode], strict=True)
    return [max(0.0, ns - process.deep["event_ns"] * events) for ns, events in rows]


def whole_ns(process: ProcessRecord, mode: int) -> float:
    """The time of all segments in a process's windows, as one of the two ways of looking saw it."""
    return sum(weight * ns for weight, ns in zip(weights(process, mode), seen_ns(process, mode), strict=True))


def best_mode(process: ProcessRecord) -> int:
    """Which way of looking saw more."""
    return CHOSEN if sum(process.deep["segments"][CHOSEN]) >= sum(process.deep["segments"][ALL]) else ALL


def steps_of(process: ProcessRecord, mode: int) -> float:
    """Environment steps that a process made in its windows."""
    return float(weights(process, mode)[0] * process.deep["steps"][mode])


def place_of(at: list[Any]) -> Place:
    """A code object's file, first line and name."""
    return Place(str(at[0]), int(at[1]), _PARTS.sub("", str(at[2])).replace("<locals>.", ""))
