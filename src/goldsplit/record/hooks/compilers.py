"""Compilation inside the loop (Numba, torch.compile) is start-up, wherever it happens."""

from __future__ import annotations

from types import ModuleType

from goldsplit.record.hooks.patching import stage_attribute
from goldsplit.record.imports import when_imported


def install() -> None:
    """Wait for the compilers."""
    when_imported("numba.core.dispatcher", _stage_numba)
    when_imported("torch._dynamo.convert_frame", _stage_dynamo)


def _stage_numba(module: ModuleType) -> None:
    stage_attribute(module.Dispatcher, "compile", "startup")


def _stage_dynamo(module: ModuleType) -> None:
    stage_attribute(module, "_compile", "startup")
