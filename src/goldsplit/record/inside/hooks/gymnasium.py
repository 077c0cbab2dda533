"""Gymnasium's asynchronous vector environment, by its send and receive halves, and vector environments that
others build over Gymnasium's.

Everything else of Gymnasium (environments, wrappers, the other vector environments) is seen as its classes
are made.
"""

from __future__ import annotations

from types import ModuleType

from goldsplit.model.stage import ENV_RESET, EVAL, VEC_COPY, VEC_RECV, VEC_SEND
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import count_step
from goldsplit.record.inside.hooks.patching import stage_attribute, stage_methods


def install() -> None:
    """Wait for the modules of vector environments."""
    when_imported("gymnasium.vector.async_vector_env", _stage_async)
    when_imported("tianshou.env.venvs", _stage_tianshou)
    when_imported("tianshou.trainer", lambda module: stage_methods(module.Trainer, {"_test_step": EVAL}))


def _stage_async(module: ModuleType) -> None:
    stage_methods(module.AsyncVectorEnv, {"step_async": VEC_SEND, "step_wait": VEC_RECV})


def _stage_tianshou(module: ModuleType) -> None:
    """It ends its workers by a signal, so that only the driver can say how many steps there were."""
    stage_attribute(module.BaseVectorEnv, "step", VEC_COPY, count_step)
    stage_attribute(module.BaseVectorEnv, "reset", ENV_RESET)
