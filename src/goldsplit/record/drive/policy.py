"""What chooses the actions: a built-in policy, or the user's own function, which is checked."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goldsplit.record.drive.actions import Actions
from goldsplit.record.drive.masks import MaskSource, valid_actions
from goldsplit.record.drive.problem import DriveError, told_at, users_traceback
from goldsplit.record.drive.target import FAILURES, import_by_name, load_file

BUILT_IN = ("random", "first", "zero")

Choose = Callable[[Any, Any], Any]
"""(observation, mask) → action."""


def load_function(text: str, option: str) -> Callable[..., Any]:
    """`package.module:function` or `file.py:function`."""
    left, colon, name = text.rpartition(":")
    if not colon:
        known = f"{', '.join(BUILT_IN)}, or " if option == "--policy" else ""
        raise DriveError(f"{option} {text!r} is not known", f"use {known}package.module:function")
    module = load_file(Path(left)) if left.endswith(".py") else import_by_name(left)
    found = getattr(module, name, None)
    if not callable(found):
        raise DriveError(f"{option}: {left} has no function {name!r}", "write it as package.module:function")
    return found  # type: ignore[no-any-return]


def built_in(how: str, actions: Actions) -> Choose:
    """One of the built-in policies."""
    choose = actions.choose
    return lambda _observation, mask: choose(how, mask)


def users_policy(text: str, function: Callable[..., Any], env: Any, source: MaskSource | None) -> Choose:
    """A function of the observation, or of the observation and the mask."""
    takes_mask = _takes_two(function)
    check = make_check(text, env, source)

    def choose(observation: Any, mask: Any) -> Any:
        try:
            action = function(observation, mask) if takes_mask else function(observation)
        except FAILURES as error:
            raise DriveError(
                f"the policy {text} failed: {told_at(error)}",
                "it is given the observation, and the mask where it takes two arguments",
                users_traceback(error),
            ) from error
        check(action, mask)
        return action

    return choose


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except (TypeError, ValueError):
        return False
    return True


def make_check(text: str, env: Any, source: MaskSource | None) -> Callable[[Any, Any], None]:
    """Refuse actions that are not in the space or that the mask does not allow."""
    space = getattr(env, "action_space", None)
    contains = getattr(space, "contains", None)
    if hasattr(env, "num_envs") and not hasattr(env, "single_action_space"):  # SB3's space is of one of them
        contains = None

    def check(action: Any, mask: Any) -> None:
        if contains is not None and not contains(action):
            raise _invalid(text, action, f"the action space is {space}", "return an action of that space")
        if mask is None or source is None or hasattr(env, "num_envs"):
            return
        valid = valid_actions(mask, source)
        start = int(getattr(space, "start", 0)) if not source.lists_actions else 0
        try:
            allowed = (action - start if start else action) in valid
        except (TypeError, ValueError):  # an array: a space of several choices, judged by the space alone
            return
        if valid and not allowed:
            few = ", ".join(map(str, valid[:8])) + (", …" if len(valid) > 8 else "")
            raise _invalid(
                text, action, f"the mask ({source.name}) allows {few}", "take the mask as second argument"
            )

    return check


def _invalid(text: str, action: Any, why: str, hint: str) -> DriveError:
    told = " ".join(repr(action).split())[:60]
    return DriveError(f"the policy {text} returned the invalid action {told}: {why}", hint)
