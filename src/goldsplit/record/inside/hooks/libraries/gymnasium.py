"""Gymnasium's asynchronous vector environment, by its send and receive halves.

Everything else of Gymnasium (environments, wrappers, the other vector environments) is seen as its classes
are made.
"""

from __future__ import annotations

from types import ModuleType

from goldsplit.model.stage import VEC_RECV, VEC_SEND
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.hooks.patching import stage_methods


def install() -> None:
    """Wait for the module of the asynchronous vector environment."""
    when_imported("gymnasium.vector.async_vector_env", _stage_async)


def _stage_async(module: ModuleType) -> None:
    stage_methods(module.AsyncVectorEnv, {"step_async": VEC_SEND, "step_wait": VEC_RECV})
