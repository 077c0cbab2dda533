"""Segments of a process's loop that the deep look saw, and what they stand for.

Bursts see either all functions of user code, or only those that were chosen because they are expensive.
Figures of both are kept apart, and each is compared with the time that bursts of its own kind saw.
"""

from __future__ import annotations

from goldsplit.model.deep_files.deep_record import DeepRecord
from goldsplit.model.wire import ALL, CHOSEN, STEP


def weights(deep: DeepRecord, mode: int) -> tuple[float, float]:
    """How many segments of either kind one seen segment of that kind stands for."""
    step, update = (
        beats / segments if segments else 0.0
        for beats, segments in zip(deep.beats, deep.segments[mode], strict=True)
    )
    return step, update


def seen_ns(deep: DeepRecord, mode: int) -> list[float]:
    """The time of the segments that were seen, without the cost of looking."""
    rows = zip(deep.seen_ns[mode], deep.events[mode], strict=True)
    return [max(0.0, ns - deep.event_ns * events) for ns, events in rows]


def whole_ns(deep: DeepRecord, mode: int) -> float:
    """The time of all segments in a process's windows, as one of the two kinds of bursts saw it."""
    return sum(weight * ns for weight, ns in zip(weights(deep, mode), seen_ns(deep, mode), strict=True))


def best_mode(deep: DeepRecord) -> int:
    """Which kind of bursts saw more."""
    return CHOSEN if sum(deep.segments[CHOSEN]) >= sum(deep.segments[ALL]) else ALL


def steps_of(deep: DeepRecord, mode: int) -> float:
    """Environment steps that a process made in its windows."""
    return weights(deep, mode)[STEP] * deep.env_steps[mode]
