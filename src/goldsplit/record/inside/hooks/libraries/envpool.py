"""EnvPool: environments in C++ threads, stepped together. What its calls take is the environments' time.

Its `step` is `send` and `recv`, which may also be called apart, for some of the environments at a time.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from goldsplit.model.stage import ENV_RESET, ENV_STEP, VEC_SEND
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks.autoreset import was_reset
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.hooks.stepping import add_step, after_vector_reset
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import is_programs_own


def install() -> None:
    """Wait for the modules of the classes that all its environments are made of."""
    when_imported("envpool.python.envpool", _stage_pool)
    when_imported("envpool.python.gymnasium_envpool", _stage_reset)


def _stage_pool(module: ModuleType) -> None:
    pool = module.EnvPoolMixin
    for name in ("step", "recv"):
        stage_attribute(pool, name, ENV_STEP, after_answer)
    stage_attribute(pool, "send", VEC_SEND)
    stage_attribute(pool, "reset", ENV_RESET, after_vector_reset)
    stage_attribute(pool, "async_reset", ENV_RESET, after_async_reset)


def _stage_reset(module: ModuleType) -> None:
    mixin = getattr(module, "GymnasiumEnvPoolMixin", None)
    if mixin is not None:
        stage_attribute(mixin, "reset", ENV_RESET, after_vector_reset)


def after_answer(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Count the environments of one answer."""
    add_step(state, node, result, "", args[0] if args else None)


def after_async_reset(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """The first answer of each environment will only be of this reset."""
    try:
        was_reset(args[0], len(args[0]))
    except Exception as error:  # another version
        if is_programs_own(error):
            raise
        return
