"""Stable-Baselines3 uses goldsplit's replay memory.

## What it changes

DQN, SAC, TD3 and their kin make a [GoldsplitReplayBuffer](../fast/replay.md) where they would have made
SB3's own `ReplayBuffer`, `DictReplayBuffer` or `NStepReplayBuffer`. A class given as
`replay_buffer_class` stays. Batches are the same from the same seed, so the play is the same.

## When it helps

Large batches, wide observations, n-step returns. The rules
[replay-item-by-item](../rules/replay-item-by-item.md),
[replay-sampling-grows](../rules/replay-sampling-grows.md) and
[sum-tree-in-python](../rules/sum-tree-in-python.md) offer it. It can only replace memories of SB3's: for
one of your own the report says that nothing was changed, and the rule's page shows what to write instead.

## For good

`DQN(..., replay_buffer_class=GoldsplitReplayBuffer)`.

## When not

Where networks take nearly all of an update, as with small observations, the gain is too small to see.
n-step windows end where `learn()` was called again; SB3's own go on into the next episode.
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.overlays.changes import Changes


def install(changes: Changes, argument: str) -> None:
    """Wait for the module that makes the memories."""
    when_imported("stable_baselines3.common.off_policy_algorithm", functools.partial(_change, changes))


def _change(changes: Changes, module: ModuleType) -> None:
    fast = importlib.import_module("goldsplit.fast.replay.sb3").GoldsplitReplayBuffer
    real = fast.__init__

    @functools.wraps(real)
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        changes.count("replay memories replaced")

    fast.__init__ = make
    for name in ("ReplayBuffer", "DictReplayBuffer", "NStepReplayBuffer"):
        if hasattr(module, name):
            setattr(module, name, fast)
