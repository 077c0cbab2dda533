"""The calls that users may put into their own code. Outside a recording each is nearly free."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from goldsplit.model.wire import Counter

F = TypeVar("F", bound=Callable[..., Any])


class _Nothing:
    """What `stage` returns while nothing records: enters, leaves and decorates without a trace."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        return None

    def __call__(self, fn: F) -> F:
        return fn


_NOTHING: Any = _Nothing()
_make_stage: Any = None
_engine: Any = None


def use_recording_stage() -> None:
    """Called once by the recorder: from now on the calls below record."""
    global _make_stage, _engine
    from goldsplit.record.inside.engine import ENGINE
    from goldsplit.record.inside.stage_blocks import StageBlock

    _make_stage, _engine = StageBlock, ENGINE


def stage(name: str) -> Any:
    """Mark a stage: ``with goldsplit.stage("game.pathfinding"):`` or ``@goldsplit.stage("env.opponent")``."""
    return _NOTHING if _make_stage is None else _make_stage(name)


def count(name: str, n: float = 1) -> None:
    """Add to a counter: ``goldsplit.count("env_steps", 256)``."""
    if _engine is not None:
        counts = _engine.state().counts
        key = Counter.USER + name
        counts[key] = counts.get(key, 0) + (n if type(n) is int else float(n))


def episode(reward: float | None = None, win: bool | None = None, **metrics: float) -> None:
    """Say that an episode has ended, with what is known about it."""
    if _engine is None:
        return
    count(Counter.EPISODES)
    if reward is not None:
        metric("reward", reward)
    if win is not None:
        metric("win", float(win))
    for name, value in metrics.items():
        metric(name, value)


def metric(name: str, value: float) -> None:
    """Record a value; the report shows its count and mean per window."""
    if _engine is not None:
        counts = _engine.state().counts
        number, total = Counter.METRIC_COUNT + name, Counter.METRIC_SUM + name
        counts[number] = counts.get(number, 0) + 1
        counts[total] = counts.get(total, 0.0) + float(value)
