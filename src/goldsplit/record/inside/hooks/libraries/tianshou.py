"""Tianshou: its vector environments, and the evaluation of its trainer."""

from __future__ import annotations

from types import ModuleType

from goldsplit.model.stage import ENV_RESET, EVAL, VEC_COPY
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import count_step
from goldsplit.record.inside.hooks.patching import stage_attribute, stage_methods


def install() -> None:
    """Wait for the modules of vector environments and of the trainer."""
    when_imported("tianshou.env.venvs", _stage_vector_env)
    when_imported("tianshou.trainer", _stage_trainer)


def _stage_vector_env(module: ModuleType) -> None:
    """Tianshou ends its workers with a signal, so only the driver can say how many steps there were."""
    stage_attribute(module.BaseVectorEnv, "step", VEC_COPY, count_step)
    stage_attribute(module.BaseVectorEnv, "reset", ENV_RESET)


def _stage_trainer(module: ModuleType) -> None:
    stage_methods(module.Trainer, {"_test_step": EVAL})
