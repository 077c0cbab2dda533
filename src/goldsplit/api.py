"""The calls that users may put into their own code. Outside a recording each is nearly free.

Inside one they take whatever they take outside: what cannot be recorded is left out, and never raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, overload

from goldsplit.model.wire import Counter, Metrics

F = TypeVar("F", bound=Callable[..., Any])
#: What a stage decorates: a function, or what another decorator has made of one in a class.
D = TypeVar(
    "D",
    bound="Callable[..., Any] | staticmethod[Any, Any] | classmethod[Any, Any, Any] | property",
)


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
_stage_decorated: Any = None
_engine: Any = None
_swallow: Any = None
_leave_out: Any = None


def use_recording_stage() -> None:
    """Called once by the recorder: from now on the calls below record."""
    global _make_stage, _stage_decorated, _engine, _swallow, _leave_out
    from goldsplit.record.inside.engine import ENGINE
    from goldsplit.record.inside.own_failures import count_failure, leave_out
    from goldsplit.record.inside.stage_blocks import StageBlock, stage_decorated

    _make_stage, _stage_decorated, _engine = StageBlock, stage_decorated, ENGINE
    _swallow, _leave_out = count_failure, leave_out


class StageMark(Protocol):
    """What `goldsplit.stage("NAME")` gives: a block (`with`), or a decorator that keeps types."""

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...

    def __call__(self, fn: D, /) -> D: ...


@overload
def stage(name: str) -> StageMark: ...
@overload
def stage(name: D) -> D: ...
def stage(name: Any) -> Any:
    """Mark a stage: ``with goldsplit.stage("game.pathfinding"):`` or ``@goldsplit.stage("env.opponent")``.

    ``@goldsplit.stage`` alone takes the stage that the function's name stands for, else
    ``game.<name of the function>``.
    """
    if isinstance(name, str):
        return _NOTHING if _make_stage is None else _make_stage(name)
    if not callable(name) and not isinstance(name, staticmethod | classmethod | property):
        raise TypeError(f"goldsplit.stage takes the name of a stage, or decorates a function: not {name!r}")
    return name if _stage_decorated is None else _stage_decorated(name)


def count(name: str, n: float = 1) -> None:
    """Add to a counter: ``goldsplit.count("env_steps", 256)``."""
    if _engine is None:
        return
    if type(n) is not int:
        try:
            n = float(n)
        except Exception as error:
            if not _leave_out("count", name, n, error):
                raise
            return
    try:
        counts = _engine.state().counts
        key = Counter.USER + name
        counts[key] = counts.get(key, 0) + n
    except Exception as error:
        if not _swallow(count, error):
            raise


def episode(
    reward: float | None = None, win: bool | None = None, end: str | None = None, **metrics: float
) -> None:
    """Say that an episode has ended, with what is known about it. `end` names how: `"timeout"`."""
    if _engine is None:
        return
    count(Counter.EPISODES)
    if isinstance(end, str):
        metric(Metrics.END + end, 1)
    elif end is not None:
        metric("end", end)
    if reward is not None:
        metric("reward", reward)
    if win is not None:
        metric("win", win)
    for name, value in metrics.items():
        metric(name, value)


def metric(name: str, value: float) -> None:
    """Record a value; the report shows its count and mean per window."""
    if _engine is None:
        return
    try:
        known = float(value)
    except Exception as error:
        if not _leave_out("metric", name, value, error):
            raise
        return
    try:
        counts = _engine.state().counts
        number, total = Counter.METRIC_COUNT + name, Counter.METRIC_SUM + name
        counts[number] = counts.get(number, 0) + 1
        counts[total] = counts.get(total, 0.0) + known
    except Exception as error:
        if not _swallow(metric, error):
            raise
