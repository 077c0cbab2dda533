"""Worker processes are started by another method: fork, forkserver or spawn.

## What it changes

Every context of `multiprocessing` that the program asks for is the one of this method, whatever it asked
for: its own `get_context` and `set_start_method`, `start_method` of Stable-Baselines3's `SubprocVecEnv`,
`context` of Gymnasium's `AsyncVectorEnv`, pools, queues and locks.

## When it helps

Spawned workers import everything again (torch: seconds each). Forked ones start at once and share memory
with the trainer. The rule [startup-imports](../rules/startup-imports.md) says how much.

## For good

`SubprocVecEnv(fns, start_method="fork")`, `AsyncVectorEnv(fns, context="fork")`, or
`multiprocessing.set_start_method("fork")` at the start of the program.

## When not

Forking a process that has threads or a GPU context can hang the workers; CUDA does not survive a fork.
`spawn` and `forkserver` must pickle what they are given: lambdas of a script cannot be.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.overlays.changes import Changes


def install(changes: Changes, argument: str) -> None:
    """Wait for multiprocessing's contexts."""
    when_imported("multiprocessing.context", functools.partial(_change, changes, argument))


def _change(changes: Changes, wanted: str, module: ModuleType) -> None:
    default = module.DefaultContext
    real_default = module._default_context._default_context
    chosen = module._concrete_contexts[wanted]

    def get_context(self: Any, method: str | None = None) -> Any:
        asked = method or _asked(self, real_default)
        if asked not in module._concrete_contexts:
            raise ValueError(f"cannot find context for {asked!r}")
        if asked != wanted:
            changes.count(f"contexts of {asked} given as {wanted}")
        return chosen

    def set_start_method(self: Any, method: str | None, force: bool = False) -> None:
        self._goldsplit_asked = method
        self._actual_context = chosen

    def get_start_method(self: Any, allow_none: bool = False) -> str:
        return wanted

    default.get_context, default.set_start_method = get_context, set_start_method
    default.get_start_method = get_start_method
    module.BaseContext.get_context = get_context
    module._default_context._actual_context = chosen


def _asked(context: Any, usual: Any) -> str:
    """The method that a context stands for, where the caller names none."""
    named = getattr(context, "_goldsplit_asked", None) or getattr(context, "_name", None)
    return str(named or usual._name)
