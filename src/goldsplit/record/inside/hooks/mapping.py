"""The user's own mapping: ``package.module:Class.method`` or ``module:function`` to a stage or a counter.

A target in an importable module is staged right after that module's import. One in the script itself
(its module is ``__main__``) is staged as soon as the script has defined it.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from goldsplit.model.stage import ENV_STEP
from goldsplit.model.wire import COUNT_CALLS, COUNTED, PROGRESS, UNSTAGED, Counter, Key, Line, Variable
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.frameless_calls import take_back
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.hooks.script_definitions import InScript, watch_script
from goldsplit.record.inside.hooks.stepping import after_env_step, after_progress
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.span_wrapping import AfterCall, stage_of

#: Code of functions that the user wants in no stage.
_left_alone: set[Any] = set()
#: Code of functions whose calls are the steps of the run.
_progress: set[Any] = set()


def install(stages: dict[str, str]) -> None:
    """Stage every target, now or as soon as it exists."""
    in_script: dict[str, InScript] = {}
    for target, stage in stages.items():
        module, _, path = target.partition(":")
        if module in main_names():
            in_script[path] = _mapped_in_script(stage)
        when_imported(module, _hook(target, path, stage))
    watch_script(in_script)


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
    found: set[str] = set()
    arguments = list(getattr(sys, "orig_argv", []))[1:]
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument.endswith(".py"):
            found = {os.path.splitext(os.path.basename(argument))[0]}  # noqa: PTH119, PTH122
            break
        if argument == "-m":
            found = {following, following + ".__main__"}
            break
    if found:
        os.environ[Variable.SCRIPT] = ",".join(sorted(found))
    else:  # a worker whose command line does not have it
        found = set(filter(None, os.environ.get(Variable.SCRIPT, "").split(",")))
    return names | found


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
    before = _unstage(owner, name)  # the user's mapping replaces ours
    if stage == UNSTAGED:
        _left_alone.add(_code(owner, name))
        return vars(owner).get(name) is not None
    if stage == PROGRESS:
        _progress.add(_code(owner, name))
        return stage_attribute(owner, name, before or COUNTED, after_progress, inherited=True)
    if stage.startswith(COUNT_CALLS):
        after, stage = counting(stage.removeprefix(COUNT_CALLS)), COUNTED
    else:
        after = after_env_step if stage == ENV_STEP else None  # type: ignore[assignment]
    return stage_attribute(owner, name, stage, after, inherited=True)


def _unstage(owner: Any, name: str) -> str | None:
    """Take a wrapper of ours away; the stage that its calls were, None: there was none."""
    value = vars(owner).get(name)
    kind = type(value) if isinstance(value, staticmethod | classmethod) else None
    function = value if kind is None else value.__func__
    stage = stage_of(function)
    if stage is not None:
        plain = take_back(function)
        setattr(owner, name, plain if kind is None else kind(plain))
    return stage


def _code(owner: Any, name: str) -> Any:
    value = vars(owner).get(name)
    return getattr(getattr(value, "__func__", value), "__code__", None)


def is_left_alone(function: Any) -> bool:
    """Whether the user wants a function in no stage."""
    code = getattr(function, "__code__", None)
    return code is not None and code in _left_alone


def restage(owner: Any, name: str, stage: str) -> bool:
    """Give a function a stage that so far is only counted, because its calls are the steps of the run; False:
    it is no such function."""
    value = vars(owner).get(name)
    function = getattr(value, "__func__", value)
    inner = getattr(function, "__wrapped__", None)
    if stage_of(function) != COUNTED or getattr(inner, "__code__", None) not in _progress:
        return False
    _unstage(owner, name)
    return stage_attribute(owner, name, stage, after_progress)


def counting(counter: str) -> AfterCall:
    """A function that counts a call after it has ended."""
    key = Counter.USER + counter

    def after(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
        state.counts[key] = state.counts.get(key, 0) + 1

    return after
