"""Capturing and replaying device work, behind a protocol: CUDA graphs here, a stand-in in the tests."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import torch

_WAITS = "synchronizing CUDA operation"  # torch's own words in its debug mode for waits
_PROTOTYPE = "debug mode is a prototype"  # what torch says when that mode is switched on


class Graph(Protocol):
    def replay(self) -> None: ...


class Backend(Protocol):
    """What `GraphedCall` needs of a device that can capture graphs."""

    def warm_up(self, run: Callable[[], Any]) -> Any:
        """Run eagerly where the capture will run, so that libraries set themselves up outside of it."""

    def waits(self) -> contextlib.AbstractContextManager[list[str]]:
        """Fills the list with the source lines that waited for the device in the block."""

    def capture(self, run: Callable[[], Any], generators: Sequence[Any]) -> Graph:
        """Record what `run` does without doing it. A failure leaves memory and random numbers as before."""

    def forget(self) -> None:
        """All graphs captured so far are gone."""

    def synchronize(self) -> None:
        """Wait until the work asked for so far is done."""


class CudaGraphs:
    """CUDA graphs of one device; the graphs of one object share their memory, so they run one by one."""

    def __init__(self, device: torch.device) -> None:
        self._device = torch.device(
            "cuda", torch.cuda.current_device() if device.index is None else device.index
        )
        self._stream = torch.cuda.Stream(self._device)
        self._pool: Any = torch.cuda.graph_pool_handle()

    def warm_up(self, run: Callable[[], Any]) -> Any:
        current = torch.cuda.current_stream(self._device)
        self._stream.wait_stream(current)
        with torch.cuda.stream(self._stream):
            result = run()
        current.wait_stream(self._stream)
        return result

    @contextlib.contextmanager
    def waits(self) -> Iterator[list[str]]:
        before = torch.cuda.get_sync_debug_mode()
        lines: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.cuda.set_sync_debug_mode("warn")
            try:
                yield lines
            finally:
                torch.cuda.set_sync_debug_mode(before)
        for seen in caught:
            if _WAITS in str(seen.message):
                lines.append(f"{seen.filename}:{seen.lineno}")
            elif _PROTOTYPE not in str(seen.message):  # the function's own warnings go on to the user
                warnings.warn_explicit(seen.message, seen.category, seen.filename, seen.lineno)

    def capture(self, run: Callable[[], Any], generators: Sequence[Any]) -> Graph:
        graph = torch.cuda.CUDAGraph()
        for generator in generators:
            graph.register_generator_state(generator)
        torch.cuda.synchronize(self._device)
        undo = _Undo(self._device, generators)
        # thread_local: another thread (a prefetcher) may use the device meanwhile.
        options = {"pool": self._pool, "stream": self._stream, "capture_error_mode": "thread_local"}
        first: list[BaseException] = []  # torch's own failure to end the capture would hide it
        try:
            with torch.cuda.graph(graph, **options):
                try:
                    run()
                except BaseException as failure:
                    first.append(failure)
                    raise
        except BaseException as failure:
            undo.undo(self._pool)
            self.forget()
            raise (first[0] if first else failure) from None
        return graph

    def forget(self) -> None:
        # The memory of graphs that are gone cannot be taken up again by its old handle.
        self._pool = torch.cuda.graph_pool_handle()

    def synchronize(self) -> None:
        torch.cuda.current_stream(self._device).synchronize()


class _Undo:
    """What a capture that breaks off leaves in disorder: the current stream, generators, the allocator."""

    def __init__(self, device: torch.device, generators: Sequence[Any]) -> None:
        self._device = device
        self._stream = torch.cuda.current_stream(device)
        used = [torch.cuda.default_generators[device.index], *generators]
        # Old versions of torch cannot copy a generator's state so that graphs may use it.
        self._states = [(each, each.clone_state()) for each in used if hasattr(each, "clone_state")]

    def undo(self, pool: Any) -> None:
        torch.cuda.set_stream(self._stream)
        for generator, state in self._states:
            generator.graphsafe_set_state(state)  # else the next random number is refused
        with contextlib.suppress(Exception):  # refused where torch has already ended it
            torch._C._cuda_endAllocateToPool(self._device.index, pool)


def backend_for(device: torch.device) -> tuple[Backend | None, str]:
    """What can capture graphs on this device, or None and the reason."""
    if device.type != "cuda":
        return None, f"the device is {device.type}: only CUDA devices have graphs"
    if not torch.cuda.is_available():
        return None, "torch sees no CUDA device"
    return CudaGraphs(device), ""
