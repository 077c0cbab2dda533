"""See every class as it is made, and stage the methods of those that are environments, replay memories or
agents: Gymnasium's by descent, the user's own by their methods' usual names.

Watching class statements is the only way to see classes of the script itself, which is never imported.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from types import FunctionType
from typing import Any

from goldsplit.model.stack_frames import is_shipped_game
from goldsplit.model.stage import (
    ACT,
    ACT_VALUE,
    CHECKPOINT,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RENDER,
    ENV_RESET,
    ENV_REWARD,
    ENV_STEP,
    EVAL,
    LEARN_LOSS,
    LEARN_RETURNS,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
    ROLLOUT,
    VEC_COPY,
)
from goldsplit.model.usual_names import REPLAY_METHODS, looks_like_replay, stage_of_function
from goldsplit.model.wire import Key, Line
from goldsplit.record.inside.core import count_step, leave_steps_to
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.frameless_calls import take_back
from goldsplit.record.inside.hooks import class_statements
from goldsplit.record.inside.hooks.libraries.pettingzoo import stage_turns
from goldsplit.record.inside.hooks.named_functions import hides_steps, named, stage_class
from goldsplit.record.inside.hooks.networks import stage_networks
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.hooks.stepping import after_env_step, after_vector_reset, after_vector_step
from goldsplit.record.inside.hooks.timers import count_timer
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.span_wrapping import is_staged

_LIBRARY_DIRS = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")} - {None}
)
_module_is_users: dict[str, bool] = {}
_ENV_ONLY = frozenset({ENV_OBSERVE, ENV_MASK, ENV_REWARD, ENV_OPPONENT, ENV_RENDER})
_LIBRARY_ENVIRONMENTS = (
    ("Env", "gymnasium"),
    ("Env", "gym"),
    ("Environment", "dm_env"),
    ("ParallelEnv", "pettingzoo"),
)
_GAME_LIKE = re.compile(r"env|game|world|battle|board|sim|arena|match", re.IGNORECASE)


def install() -> None:
    """Watch class statements from now on."""
    class_statements.watch(_consider_safely)


def _consider_safely(cls: type) -> None:
    try:
        consider(cls)
    except Exception as error:
        text = f"class {cls.__name__} not looked at: {error!r}"
        ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: text})


def is_users_module(name: str) -> bool:
    """Whether a module is the user's own code: not in the standard library, not installed."""
    known = _module_is_users.get(name)
    if known is None:
        module = sys.modules.get(name)
        path = getattr(module, "__file__", None)
        known = is_shipped_game(name) or (
            name.split(".")[0] != "goldsplit"
            and (
                path is None
                or not (path.startswith(_LIBRARY_DIRS) or "site-packages" in path or "dist-packages" in path)
            )
        )
        if module is None or (path is None and getattr(module, "__spec__", None) is not None):
            known = name == "__main__" or name == "__mp_main__"
        if module is not None:
            _module_is_users[name] = known
    return known


def consider(cls: type) -> None:
    """Stage those methods of a new class that stand for stages."""
    if not all(
        isinstance(base.__module__, str) for base in cls.__mro__
    ):  # a property there: a library's trick
        return
    own = vars(cls)
    takes_turns = descends_from(cls, "AECEnv", "pettingzoo")
    if (
        takes_turns
    ):  # before the source says what its functions are for: its moves are counted in their own way
        stage_turns(cls)
    is_read = is_users_module(cls.__module__) and stage_class(cls)
    if descends_from(cls, "VectorEnv", "gymnasium"):
        if "step" in own:
            stage_attribute(cls, "step", VEC_COPY, count_step)
        if "reset" in own:
            stage_attribute(cls, "reset", ENV_RESET, after_vector_reset)
        return
    if takes_turns:
        if is_users_module(cls.__module__):
            stage_usual_methods(cls, _ENV_ONLY)
        return
    if any(descends_from(cls, name, package) for name, package in _LIBRARY_ENVIRONMENTS):
        if "step" in own:
            stage_attribute(cls, "step", ENV_STEP, count_step)
        if "reset" in own:
            stage_attribute(cls, "reset", ENV_RESET)
        if is_users_module(cls.__module__) and not is_read:
            stage_usual_methods(cls, _ENV_ONLY)
        return
    if not is_users_module(cls.__module__):
        return
    count_timer(cls)
    if is_own_environment(cls):
        if "step" in own and not is_no_step(own["step"]):
            stage_attribute(cls, "step", ENV_STEP, count_step)
        if "reset" in own:
            stage_attribute(cls, "reset", ENV_RESET)
        if not is_read:
            stage_usual_methods(cls, _ENV_ONLY)
        return
    if is_read:  # names alone say less than the source
        stage_networks(cls)
        return
    if looks_like_replay(cls.__name__) or ("sample" in own and ("push" in own or "add" in own)):
        stages = (
            dict.fromkeys(("push", "store", "remember", "push_batch", "add_batch"), REPLAY_ADD)
            | REPLAY_METHODS
        )
        for name, stage in stages.items():
            if isinstance(own.get(name), FunctionType):
                stage_attribute(cls, name, stage)
        stage_usual_methods(cls, frozenset({REPLAY_SAMPLE, REPLAY_UPDATE, REPLAY_ADD}))
        return
    stage_networks(cls)
    stage_usual_methods(cls, frozenset({ACT, ACT_VALUE, LEARN_RETURNS, LEARN_LOSS, EVAL, CHECKPOINT}))


def stage_usual_methods(cls: type, stages: frozenset[str]) -> None:
    """Stage a class's own plain methods whose names stand for one of `stages`."""
    for name, value in list(vars(cls).items()):
        if not isinstance(value, FunctionType) or is_staged(value):
            continue
        stage = stage_of_function(name)
        if stage in stages:
            stage_attribute(cls, name, stage)


def descends_from(cls: type, name: str, package: str) -> bool:
    """Whether a class descends from a package's class, found without importing the package."""
    return any(base.__name__ == name and base.__module__.split(".")[0] == package for base in cls.__mro__)


def is_own_environment(cls: type) -> bool:
    """Whether a user's class has `reset` and a `step` that takes something."""
    step, reset = getattr(cls, "step", None), getattr(cls, "reset", None)
    step = getattr(step, "__wrapped__", step)
    if not isinstance(step, FunctionType) or not callable(reset):
        return False
    return step.__code__.co_argcount >= 2 or bool(step.__code__.co_flags & 0x04)


def is_no_step(step: Any) -> bool:
    """Whether the source shows that a `step` only has a loop around other steps: it is a trainer's or a
    runner's, or goes through several games."""
    found = named(step)
    return found is not None and (found.stage == ROLLOUT or hides_steps(found, step))


def unusual_step(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Count the first step at a place, and those whose result has an unusual shape. If the result is not
    several values and the class is not named like a game, it is no environment (but a scheduler, a recurrent
    policy): its step is left alone from now on."""
    if node.stage == VEC_COPY:
        after_vector_step(state, node, args, result)
        return
    several = isinstance(result, tuple) and len(result) >= 2
    if several or hasattr(result, "step_type") or not args or _GAME_LIKE.search(type(args[0]).__name__):
        after_env_step(state, node, args, result)
        return
    for cls in type(args[0]).__mro__:
        step: Any = vars(cls).get("step")
        if is_staged(step):
            setattr(cls, "step", take_back(step))  # noqa: B010 - a class attribute that types cannot know


leave_steps_to(unusual_step)
