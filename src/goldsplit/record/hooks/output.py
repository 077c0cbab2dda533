"""Printing, logging and TensorBoard inside the loop: stage `log`."""

from __future__ import annotations

import builtins
from types import ModuleType

from goldsplit.record.hooks.patching import stage_attribute, stage_methods
from goldsplit.record.imports import when_imported
from goldsplit.record.spans import staged

_WRITER_METHODS = (
    "add_scalar add_scalars add_histogram add_image add_images add_figure add_text add_graph add_video "
    "add_embedding add_hparams add_tensor flush"
)


def install() -> None:
    """Stage the usual ways of writing something out."""
    builtins.print = staged(builtins.print, "log")
    when_imported("logging", _stage_logging)
    for name in ("torch.utils.tensorboard.writer", "tensorboardX.writer"):
        when_imported(name, _stage_writer)


def _stage_logging(module: ModuleType) -> None:
    stage_attribute(module.Logger, "handle", "log")


def _stage_writer(module: ModuleType) -> None:
    stage_methods(module.SummaryWriter, dict.fromkeys(_WRITER_METHODS.split(), "log"))
