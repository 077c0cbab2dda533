"""Gymnasium's asynchronous vector environment: its send and receive halves.

Everything else of Gymnasium (environments, wrappers, the other vector environments) is seen as its classes
are made.
"""

from __future__ import annotations

from types import ModuleType

from goldsplit.record.hooks.patching import stage_methods
from goldsplit.record.imports import when_imported


def install() -> None:
    """Wait for the asynchronous vector environment's module."""
    when_imported("gymnasium.vector.async_vector_env", _stage_async)


def _stage_async(module: ModuleType) -> None:
    stage_methods(module.AsyncVectorEnv, {"step_async": "vec.send", "step_wait": "vec.recv"})
