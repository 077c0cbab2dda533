"""Graphs without a GPU: the operations of a captured call are recorded, undone, and replayed on the CPU.

What a CUDA graph forbids is forbidden here (reading a value), what it forgets is forgotten (Python's part of
the function), and what it keeps is kept (addresses, numbers). A capture runs nothing: its effects are undone.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

READS = ("aten::_local_scalar_dense", "aten::equal", "aten::nonzero")


def tensors(values: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]


class RecordedGraph(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.operations: list[tuple[Any, Any, Any, Any, bool]] = []
        self._undo: list[tuple[torch.Tensor, torch.Tensor]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func._schema.name in READS:
            raise RuntimeError("operation not permitted when stream is capturing")
        written = [
            value
            for at, argument in enumerate(func._schema.arguments)
            if argument.alias_info is not None and argument.alias_info.is_write
            for value in tensors(args[at] if at < len(args) else kwargs.get(argument.name))
        ]
        self._undo += [(value.detach(), value.detach().clone()) for value in written]
        result = func(*args, **kwargs)
        known = {value.untyped_storage().data_ptr() for value in tensors((args, kwargs))}
        is_view = all(value.untyped_storage().data_ptr() in known for value in tensors(result))
        if written or not is_view:
            self.operations.append((func, args, kwargs, result, bool(written)))
        return result

    def undo(self) -> None:
        with torch.no_grad():
            for value, before in reversed(self._undo):
                value.copy_(before)
        self._undo.clear()

    def replay(self) -> None:
        with torch.no_grad():
            for func, args, kwargs, result, writes in self.operations:
                again = func(*args, **kwargs)
                if not writes:
                    for value, new in zip(tensors(result), tensors(again), strict=True):
                        value.detach().copy_(new)


class SeenReads(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func._schema.name in READS:
            frames = [
                frame
                for frame in traceback.extract_stack()[:-1]
                if "/torch/" not in frame.filename and frame.filename != __file__
            ]
            self.lines.append(f"{frames[-1].filename}:{frames[-1].lineno}")
        return func(*args, **(kwargs or {}))


class RecordedGraphs:
    """The `Backend` of these tests."""

    def __init__(self) -> None:
        self.warm_ups = self.captures = 0

    def warm_up(self, run: Callable[[], Any]) -> Any:
        self.warm_ups += 1
        return run()

    @contextlib.contextmanager
    def waits(self) -> Iterator[list[str]]:
        lines: list[str] = []
        with SeenReads() as seen:
            yield lines
        lines += seen.lines

    def capture(self, run: Callable[[], Any], generators: Sequence[Any]) -> RecordedGraph:
        graph, random = RecordedGraph(), torch.get_rng_state()
        try:
            with graph:
                run()
        finally:
            graph.undo()
            torch.set_rng_state(random)
        self.captures += 1
        return graph

    def forget(self) -> None:
        pass

    def synchronize(self) -> None:
        pass
