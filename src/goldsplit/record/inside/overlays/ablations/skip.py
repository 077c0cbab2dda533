"""The calls of a stage are not made; they return None.

## What it changes

`skip:learn.optimizer` leaves out all optimizer steps, `skip:env.render` all drawing, `skip:log` all
output. The functions of the stage are not called and return None; updates and steps that are left out are
not counted.

## When it helps

To see what a part of the training is worth: the speed without it is what no fix of it can exceed. With
`skip:learn.loss` (or the stage of your update) a training becomes pure playing.

## When not

Where the program uses what the calls return: it then fails with the error that None gives. What is learnt
and played is not the same any more: only the speed means something.
"""

from __future__ import annotations

from typing import Any

from goldsplit.record.inside.overlays.by_stage import LeftOut, instead_of
from goldsplit.record.inside.overlays.changes import Changes

SKIPPED = "calls skipped"


def install(changes: Changes, argument: str) -> None:
    """Skip the calls of the stage."""
    skip_stage(argument, changes)


def skip_stage(stage: str, changes: Changes) -> None:
    """Leave out all calls of a stage."""

    def skipped(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> LeftOut:
        changes.count(SKIPPED)
        return LeftOut()

    instead_of(stage, skipped, may_leave_out=True)
