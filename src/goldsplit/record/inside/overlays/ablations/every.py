"""Only each k-th call of a stage is made.

## What it changes

`every:4:learn.loss` makes only each fourth update; the first call is always made. A call that is left out
returns what the last one that was made has returned, and is not counted as an update or step.

## When it helps

To see what the learner costs in the whole loop, and whether a training that updates more often than it
has to would still learn with fewer updates: compare the reward as well.

## When not

The training is another one then. Where a call has an effect that the loop waits for, the loop may not
end.
"""

from __future__ import annotations

import itertools
from typing import Any

from goldsplit.model.overlays.overlay import CALLS_MADE
from goldsplit.record.inside.overlays.by_stage import LeftOut, instead_of
from goldsplit.record.inside.overlays.changes import Changes


def install(changes: Changes, argument: str) -> None:
    """Make each k-th call of the stage."""
    number, _, stage = argument.partition(":")
    calls = itertools.count()
    last: list[Any] = [None]

    def sometimes(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if next(calls) % int(number):
            changes.count("calls left out")
            return LeftOut(last[0])
        changes.see(CALLS_MADE)
        last[0] = function(*args, **kwargs)
        return last[0]

    instead_of(stage, sometimes, may_leave_out=True)
