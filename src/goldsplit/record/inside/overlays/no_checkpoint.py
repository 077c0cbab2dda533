"""Models are not saved in the middle of the training.

## What it changes

Functions of the stage `checkpoint` are not called and return None: `torch.save`, `model.save` of
Stable-Baselines3, functions of yours that save.

## When it helps

Where saving takes a noticeable share: often a large replay memory is written with each model.
The rule [frequent-evaluation](../rules/frequent-evaluation.md) says how much.

## For good

Save more rarely, without the replay memory, or in a thread.

## When not

Where the program reads the file again, and at the end of a training that you want to keep.
"""

from __future__ import annotations

from goldsplit.model.stage import CHECKPOINT
from goldsplit.record.inside.overlays.ablations.skip import skip_stage
from goldsplit.record.inside.overlays.changes import Changes


def install(changes: Changes, argument: str) -> None:
    """Skip the stage."""
    skip_stage(CHECKPOINT, changes)
