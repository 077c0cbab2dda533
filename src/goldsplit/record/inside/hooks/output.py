"""Printing, logging and TensorBoard inside the loop: stage `log`."""

from __future__ import annotations

import builtins
import itertools
from types import ModuleType
from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.model.stage import LOG
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.facts import add_fact, users_place
from goldsplit.record.inside.framed_calls import as_builtin
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.span_wrapping import AfterCall, staged

#: Looking up the caller's line costs as much as several spans: it is done once in so many calls.
PLACE_EVERY = 17

_WRITER_METHODS = (
    "add_scalar add_scalars add_histogram add_image add_images add_figure add_text add_graph add_video "
    "add_embedding add_hparams add_tensor flush"
)


def install() -> None:
    """Stage the usual ways of writing something out."""
    builtins.print = as_builtin(staged(builtins.print, LOG, _counting("print")), builtins.print)
    when_imported("logging", _stage_logging)
    for name in ("torch.utils.tensorboard.writer", "tensorboardX.writer"):
        when_imported(name, _stage_writer)


def _stage_logging(module: ModuleType) -> None:
    stage_attribute(module.Logger, "handle", LOG, _counting("logging"))


def _stage_writer(module: ModuleType) -> None:
    count = _counting("tensorboard")
    for name in _WRITER_METHODS.split():
        stage_attribute(module.SummaryWriter, name, LOG, count)


def _counting(kind: str) -> AfterCall:
    """Count calls by the user's line that made them; the line is looked up at every 17th call, a prime."""
    calls = itertools.count()

    def after(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
        if next(calls) % PLACE_EVERY == PLACE_EVERY - 1:
            add_fact(FactKind.OUTPUT, kind, count=PLACE_EVERY, place=users_place())

    return after
