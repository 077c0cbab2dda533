"""Vector environments of Stable-Baselines3 and Gymnasium are replaced by goldsplit's, over shared memory.

## What it changes

Where the program makes a `SubprocVecEnv`, `DummyVecEnv`, `AsyncVectorEnv` or `SyncVectorEnv`, it gets a
[SharedVecEnv or SharedVectorEnv](../fast/vector.md) with the same environments: several of them in each
worker process, or all in the trainer where they were there before. All infos are kept.

## When it helps

Cheap environments in processes: most of the time goes to messages. The rules
[communication-bound](../rules/communication-bound.md), [too-many-workers](../rules/too-many-workers.md)
and [env-too-cheap-for-processes](../rules/env-too-cheap-for-processes.md) say how much.

## For good

`goldsplit.fast.vector.sb3.SharedVecEnv(fns)` in the place of `SubprocVecEnv(fns)`;
`goldsplit.fast.vector.SharedVectorEnv(fns)` in the place of `AsyncVectorEnv(fns)`.

## When not

Programs that reach into the vector environment (`.remotes`, `.processes`, `.envs`) find other attributes
there. Where one cannot be made, the program's own stays, and a note says why.
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.overlays.changes import Changes

_SB3 = "stable_baselines3.common.vec_env."
_GYMNASIUM = "gymnasium.vector."
#: Module → class, ours, where its environments are stepped.
_REPLACED = {
    _SB3 + "subproc_vec_env": ("SubprocVecEnv", "goldsplit.fast.vector.sb3:SharedVecEnv", "workers"),
    _SB3 + "dummy_vec_env": ("DummyVecEnv", "goldsplit.fast.vector.sb3:SharedVecEnv", "inprocess"),
    _GYMNASIUM + "async_vector_env": ("AsyncVectorEnv", "goldsplit.fast.vector:SharedVectorEnv", "workers"),
    _GYMNASIUM + "sync_vector_env": ("SyncVectorEnv", "goldsplit.fast.vector:SharedVectorEnv", "inprocess"),
}
#: Options of theirs that ours have too; others that change nothing here.
_KEPT = ("copy", "context", "autoreset_mode")
_WITHOUT_MEANING = ("shared_memory", "daemon")


def install(changes: Changes, argument: str) -> None:
    """Wait for the modules of the vector environments."""
    for name in _REPLACED:
        when_imported(name, functools.partial(_change, changes))


def _change(changes: Changes, module: ModuleType) -> None:
    name, ours, backend = _REPLACED[module.__name__]
    replaced = vars(module)[name]

    def make(cls: type, *args: Any, **kwargs: Any) -> Any:
        if cls is replaced and args + tuple(kwargs):
            try:
                made = _shared(ours, backend, args, kwargs)
            except Exception as error:  # then the program's own must do
                changes.note(f"{name} was not replaced: {error!r}"[:300])
            else:
                changes.count(f"{name} replaced")
                return made
        return object.__new__(cls)

    replaced.__new__ = staticmethod(make)


def _shared(ours: str, backend: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """One of ours in the place of one of theirs."""
    module, _, name = ours.partition(":")
    given = dict(kwargs)
    functions = list(given.pop("env_fns", None) or args[0])
    if len(args) > 1:
        given["start_method"] = args[1]
    start = given.pop("start_method", None)
    options: dict[str, Any] = {"context": start} if start and backend == "workers" else {}
    options |= {key: given.pop(key) for key in _KEPT if key in given}
    left = [key for key in given if key not in _WITHOUT_MEANING]
    if left:
        raise ValueError(f"it was given {', '.join(left)}")
    if backend == "inprocess":
        options.pop("context", None)
    cls = getattr(importlib.import_module(module), name)
    return cls(functions, backend=backend, info="full", **options)
