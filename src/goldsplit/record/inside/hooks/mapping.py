"""The user's own mapping: ``package.module:Class.method`` or ``module:function`` to a stage or a counter.

A target in an importable module is staged right after that module's import. One in the script itself
(its module is ``__main__``) is staged as soon as the script has defined it; a short poll watches for that.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from goldsplit.model.stage import ENV_STEP
from goldsplit.model.wire import COUNT_CALLS, COUNTED, UNSTAGED, Counter, Key, Line
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.frameless_calls import take_back
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.hooks.stepping import after_env_step
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import safely
from goldsplit.record.inside.span_wrapping import AfterCall, is_staged

_sleep = time.sleep
POLL_SECONDS = 0.002
POLL_LIMIT_SECONDS = 120.0

#: Code of functions that the user wants in no stage.
_left_alone: set[Any] = set()

InScript = Callable[[ModuleType, str], bool]
"""Stages a target of the script's module; False where it is not defined yet."""


def install(stages: dict[str, str]) -> None:
    """Stage every target, now or as soon as it exists."""
    in_script: dict[str, InScript] = {}
    for target, stage in stages.items():
        module, _, path = target.partition(":")
        if module in main_names():
            in_script[path] = _mapped_in_script(stage)
        when_imported(module, _hook(target, path, stage))
    watch_script(in_script)


def watch_script(targets: dict[str, InScript]) -> None:
    """Stage targets of the script as soon as it has defined them."""
    if targets:
        thread = threading.Thread(
            target=safely(_poll), args=(targets,), name="goldsplit-mapping", daemon=True
        )
        thread.start()


def _mapped_in_script(stage: str) -> InScript:
    def stage_target(module: ModuleType, path: str) -> bool:
        done = apply(module, path, stage)
        if done:
            ENGINE.events.append({Key.KIND: Line.MAPPED, Key.TARGET: f"__main__:{path}"})
        return done

    return stage_target


def main_names() -> set[str]:
    """Module names that can mean the script itself: ``__main__`` and its file's name."""
    names = {"__main__"}
    arguments = list(getattr(sys, "orig_argv", []))[1:]
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument.endswith(".py"):
            names.add(os.path.splitext(os.path.basename(argument))[0])  # noqa: PTH119, PTH122
            break
        if argument == "-m":
            names |= {following, following + ".__main__"}
            break
    return names


def _hook(target: str, path: str, stage: str) -> Any:
    def stage_target(module: ModuleType) -> None:
        if not apply(module, path, stage):
            why = f"{module.__name__} has no {path}"
            ENGINE.events.append({Key.KIND: Line.UNMAPPED, Key.TARGET: target, Key.WHY: why})
        else:
            ENGINE.events.append({Key.KIND: Line.MAPPED, Key.TARGET: target})

    stage_target.__qualname__ = f"stage_target[{target}]"
    return stage_target


def apply(module: ModuleType, path: str, stage: str) -> bool:
    """Stage `path` inside a module; False where it does not exist (yet)."""
    owner: Any = module
    *outer, name = path.split(".")
    for part in outer:
        owner = vars(owner).get(part) if isinstance(owner, type | ModuleType) else None
        if owner is None:
            return False
    value: Any = vars(owner).get(name)
    if is_staged(value):
        setattr(owner, name, take_back(value))  # the user's mapping replaces ours
    if stage == UNSTAGED:
        _left_alone.add(getattr(vars(owner).get(name), "__code__", None))
        return value is not None
    if stage.startswith(COUNT_CALLS):
        after, stage = counting(stage.removeprefix(COUNT_CALLS)), COUNTED
    else:
        after = after_env_step if stage == ENV_STEP else None  # type: ignore[assignment]
    return stage_attribute(owner, name, stage, after, inherited=True)


def is_left_alone(function: Any) -> bool:
    """Whether the user wants a function in no stage."""
    code = getattr(function, "__code__", None)
    return code is not None and code in _left_alone


def counting(counter: str) -> AfterCall:
    """A function that counts a call after it has ended."""
    key = Counter.USER + counter

    def after(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
        state.counts[key] = state.counts.get(key, 0) + 1

    return after


def _poll(targets: dict[str, InScript]) -> None:
    """Wait for the script to define the targets."""
    waited = 0.0
    pause = POLL_SECONDS
    while targets and waited < POLL_LIMIT_SECONDS:
        module = sys.modules.get("__mp_main__") or sys.modules.get("__main__")
        for path, stage in list(targets.items()):
            if module is not None and stage(module, path):
                del targets[path]
        _sleep(pause)
        waited += pause
        pause = min(0.05, pause * 1.02)
