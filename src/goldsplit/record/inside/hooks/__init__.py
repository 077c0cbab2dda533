"""One library (or kind of thing) per file. Its `install()` waits until the program imports that library, and
imports nothing of it itself."""

from __future__ import annotations

from typing import Any

from goldsplit.record.inside.hooks import (
    classes,
    compilers,
    gymnasium,
    mapping,
    output,
    processes,
    stable_baselines3,
    tianshou,
    torch,
    waiting,
)
from goldsplit.record.inside.own_failures import harmless

_HOOKS: tuple[Any, ...] = (
    classes,
    waiting,
    processes,
    output,
    gymnasium,
    stable_baselines3,
    tianshou,
    torch,
    compilers,
)


def install(stages: dict[str, str]) -> None:
    """Install every hook; `stages` maps the user's own targets to stages."""
    with harmless("the user's mapping"):
        mapping.install(stages)
    for hook in _HOOKS:
        with harmless(f"installing {hook.__name__}"):
            hook.install()
