"""A stage becomes slower by so many percent: causal profiling.

## What it changes

After each call of the stage the process computes on for so many percent of what the call itself took,
without the stages inside it: `slow:env.observe:50` makes building observations half as slow again. It
counts what the recorder measured, call by call, so the distribution of times stays what it was.

## When it helps

To check a ceiling before any fix exists: if a stage that is 50 % slower makes the run no slower, making
it faster gains nothing. `goldsplit whatif` predicts the same from a recording; `benchmarks/slow_stage.py`
compares the two.

## When not

It holds for functions that are seen as calls: steps, observations, opponents, replay, updates,
optimizers. Time that only sampled stacks show, forward passes that are not inside a method of the agent,
and waiting are not slowed; the report says then that nothing was changed.
"""

from __future__ import annotations

from typing import Any

from goldsplit.record.inside.core import this_thread
from goldsplit.record.inside.engine import clock
from goldsplit.record.inside.overlays.by_stage import instead_of
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.own_failures import count_failure


def install(changes: Changes, argument: str) -> None:
    """Slow the calls of the stage down."""
    stage, _, percent = argument.partition(":")
    share = int(percent) / 100

    def slowed(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        within, begun = inner_ns(), clock()
        result = function(*args, **kwargs)
        elapsed = clock() - begun
        spin(share * max(0, elapsed - (inner_ns() - within)))
        changes.count("calls made slower")
        return result

    instead_of(stage, slowed)


def inner_ns() -> int:
    """What the stages inside the present one have taken so far, all calls together."""
    try:
        return sum(child.total_ns for child in list(this_thread().current.children.values()))
    except Exception as error:
        if not count_failure(inner_ns, error):
            raise
        return 0


def spin(duration_ns: float) -> None:
    """Compute for so long."""
    end = clock() + duration_ns
    while clock() < end:
        pass
