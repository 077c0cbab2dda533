"""Compilers: what they do inside the loop is start-up, and they must not see our wrappers."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from goldsplit.model.stage import STARTUP
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.hooks.torch import make_way_for_compiling
from goldsplit.record.inside.own_failures import harmless
from goldsplit.record.inside.span_wrapping import is_staged, unstaged

#: Modules whose frames torch.compile skips; it still compiles what they call.
_OUR_MODULES = (
    "goldsplit.api",
    "goldsplit.record.inside.framed_calls",
    "goldsplit.record.inside.hooks.waiting",
    "goldsplit.record.inside.span_wrapping",
    "goldsplit.record.inside.stage_blocks",
)


def install() -> None:
    """Wait for the compilers."""
    when_imported("numba.core.dispatcher", _stage_numba)
    when_imported("numba.experimental.jitclass.base", _keep_jitclass_plain)
    when_imported("torch._dynamo.convert_frame", _stage_dynamo)
    when_imported("torch._dynamo.eval_frame", _make_way_for_dynamo)
    when_imported("torch._dynamo.trace_rules", _skip_our_frames)
    when_imported("torch.jit._recursive", _keep_script_plain)


def _stage_numba(module: ModuleType) -> None:
    stage_attribute(module.Dispatcher, "compile", STARTUP)


def _stage_dynamo(module: ModuleType) -> None:
    stage_attribute(module, "_compile", STARTUP)


def _make_way_for_dynamo(module: ModuleType) -> None:
    """Wait for the first function to be compiled: optimizers import dynamo too, and compile nothing."""
    real = module.OptimizeContext.__init__

    def make_way(self: Any, *args: Any, **kwargs: Any) -> None:
        with harmless("making way for torch.compile"):
            make_way_for_compiling(module.torch)
        real(self, *args, **kwargs)

    module.OptimizeContext.__init__ = make_way


def _skip_our_frames(module: ModuleType) -> None:
    for name in _OUR_MODULES:
        module.add(name)


def _keep_jitclass_plain(module: ModuleType) -> None:
    """A class's methods are staged as the class is made, before @jitclass compiles them: undo that."""
    real = module.register_class_type

    def register_class_type(cls: Any, *args: Any, **kwargs: Any) -> Any:
        with harmless("making way for jitclass"):
            for name, value in list(vars(cls).items()):
                if is_staged(value):
                    setattr(cls, name, unstaged(value))
        return real(cls, *args, **kwargs)

    module.register_class_type = register_class_type  # type: ignore[attr-defined]


def _keep_script_plain(module: ModuleType) -> None:
    """TorchScript reads a method's source and globals: give it the user's function."""
    real = module.make_stub

    def make_stub(func: Any, name: str) -> Any:
        with harmless("making way for TorchScript"):
            func = unstaged(func)
        return real(func, name)

    module.make_stub = make_stub  # type: ignore[attr-defined]
