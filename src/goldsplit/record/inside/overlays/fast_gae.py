"""Stable-Baselines3 computes advantages with goldsplit's compiled function.

## What it changes

`RolloutBuffer.compute_returns_and_advantage` calls [goldsplit.fast.returns.gae](../fast/learner.md) in
the place of its loop in Python. The numbers are equal up to rounding.

## When it helps

Long rollouts with few environments. The rule [python-gae-loop](../rules/python-gae-loop.md) says how
much.

## For good

A rollout buffer class of your own (`rollout_buffer_class=`) that calls `goldsplit.fast.returns.gae`.

## When not

The first call compiles, which takes seconds: in short runs it costs more than it saves. Rounding may
change the play after some updates.
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.own_failures import count_failure


def install(changes: Changes, argument: str) -> None:
    """Wait for the buffers."""
    when_imported("stable_baselines3.common.buffers", functools.partial(_change, changes))


def _change(changes: Changes, module: ModuleType) -> None:
    buffer = module.RolloutBuffer
    real = buffer.compute_returns_and_advantage

    @functools.wraps(real)
    def compute_returns_and_advantage(self: Any, last_values: Any, dones: Any) -> None:
        try:
            _compute(self, last_values, dones)
        except Exception as error:
            if not count_failure(_compute, error):
                raise
            real(self, last_values, dones)
        else:
            changes.count("rollouts computed by goldsplit.fast")

    buffer.compute_returns_and_advantage = compute_returns_and_advantage


def _compute(buffer: Any, last_values: Any, dones: Any) -> None:
    fast = importlib.import_module("goldsplit.fast.returns")
    numpy = importlib.import_module("numpy")
    last = last_values.clone().cpu().numpy().flatten().astype(numpy.float32)
    ends = numpy.concatenate([buffer.episode_starts[1:], dones.reshape(1, -1)]).astype(bool)
    found = fast.gae(buffer.rewards, buffer.values, ends, last, buffer.gamma, buffer.gae_lambda)
    buffer.advantages[:] = found.advantages
    buffer.returns = found.returns
