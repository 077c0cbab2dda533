"""After some steps the environment only repeats what it returned before.

## What it changes

The first 500 steps (`replayed-env:M`: M steps) of each environment are played and their results kept,
with those of its resets. From then on `step` and `reset` return these again, in the same order, whatever
the action is: the game costs nothing.

## When it helps

To see what no faster game can exceed: the speed of everything else. Compare it with the ceiling of the
environment in the report.

## When not

Nothing is learnt from a game that repeats itself: only the speed means something. Vector environments
that step all their games in one call are left alone.
"""

from __future__ import annotations

from typing import Any

from goldsplit.model.overlays.overlay import CALLS_MADE
from goldsplit.model.stage import ENV_RESET, ENV_STEP
from goldsplit.record.inside.overlays.by_stage import instead_of
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.overlays.kept_answers import copy_of

MOST_STEPS = 500


class Tape:
    """What one environment returned."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner  # its identity must not be given again
        self.steps: list[Any] = []
        self.resets: list[Any] = []
        self.step_at = self.reset_at = 0


def install(changes: Changes, argument: str) -> None:
    """Answer in the place of the environments."""
    most = int(argument or MOST_STEPS)
    tapes: dict[int, Tape] = {}

    def tape_of(args: tuple[Any, ...], function: Any) -> Tape:
        owner = args[0] if args else function
        found = tapes.get(id(owner))
        if found is None:
            found = tapes[id(owner)] = Tape(owner)
        return found

    def step(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tape = tape_of(args, function)
        if len(tape.steps) < most or not tape.resets:
            changes.see(CALLS_MADE)
            result = function(*args, **kwargs)
            tape.steps.append(copy_of(result))
            return result
        changes.count("steps replayed")
        tape.step_at += 1
        return copy_of(tape.steps[(tape.step_at - 1) % len(tape.steps)])

    def reset(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tape = tape_of(args, function)
        if len(tape.steps) < most or not tape.resets:
            result = function(*args, **kwargs)
            tape.resets.append(copy_of(result))
            return result
        changes.count("resets replayed")
        tape.reset_at += 1
        return copy_of(tape.resets[(tape.reset_at - 1) % len(tape.resets)])

    instead_of(ENV_STEP, step)
    instead_of(ENV_RESET, reset)
