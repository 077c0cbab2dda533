"""Evaluations in the middle of the training are left out.

## What it changes

Functions of the stage `eval` are not called and return None. Stable-Baselines3's evaluation callbacks do
nothing, and its `evaluate_policy` returns nan and 0 at once.

## When it helps

Where evaluation episodes take a large share: the speed without them is what the training itself can
reach. The rule [frequent-evaluation](../rules/frequent-evaluation.md) says how much.

## For good

Evaluate more rarely or with fewer episodes (`eval_freq`, `n_eval_episodes`), or in a process of its own
from saved models.

## When not

Where the program uses the result: to save the best model, to stop early, to change the opponent.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from goldsplit.model.stage import EVAL
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.overlays.ablations.skip import SKIPPED, skip_stage
from goldsplit.record.inside.overlays.changes import Changes

_COMMON = ("stable_baselines3.common.", "sb3_contrib.common.maskable.")


def install(changes: Changes, argument: str) -> None:
    """Skip the stage; libraries that need an answer get one."""
    for package in _COMMON:
        when_imported(package + "callbacks", functools.partial(_quiet_callbacks, changes))
        when_imported(package + "evaluation", functools.partial(_no_evaluation, changes))
    skip_stage(EVAL, changes)


def _quiet_callbacks(changes: Changes, module: ModuleType) -> None:
    for cls in vars(module).values():
        if isinstance(cls, type) and cls.__name__.endswith("EvalCallback") and "_on_step" in vars(cls):
            setattr(cls, "_on_step", functools.partialmethod(_no_turn, changes))  # noqa: B010 - unknown to types
    if "evaluate_policy" in vars(module):
        _no_evaluation(changes, module)


def _no_turn(callback: Any, changes: Changes) -> bool:
    """In the place of a callback's step; counted where it would have evaluated."""
    if callback.eval_freq > 0 and callback.n_calls % callback.eval_freq == 0:
        changes.count(SKIPPED)
    return True


def _no_evaluation(changes: Changes, module: ModuleType) -> None:
    real = module.evaluate_policy
    if getattr(real, "_goldsplit_skipped", False):
        return

    @functools.wraps(real)
    def evaluate_policy(*args: Any, **kwargs: Any) -> Any:
        changes.count(SKIPPED)
        in_lists = kwargs.get("return_episode_rewards") or (len(args) > 7 and args[7])
        return ([], []) if in_lists else (float("nan"), 0.0)

    evaluate_policy._goldsplit_skipped = True  # type: ignore[attr-defined]
    module.evaluate_policy = evaluate_policy  # type: ignore[attr-defined]
