"""The CUDA backend's order of steps, with stand-ins for the calls that only a CUDA device can answer."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from goldsplit.fast.learner.graphs import CudaGraphs, backend_for


class Stream:
    def __init__(self, name: Any) -> None:
        self.name = name
        self.waited: list[Any] = []

    def wait_stream(self, other: Stream) -> None:
        self.waited.append(other.name)

    def synchronize(self) -> None:
        pass


class Generator:
    def __init__(self) -> None:
        self.state = "before"

    def clone_state(self) -> str:
        return self.state

    def graphsafe_set_state(self, state: str) -> None:
        self.state = state


class FakeCuda:
    """torch.cuda as the backend uses it. A failed capture leaves the side stream current, as torch does."""

    def __init__(self) -> None:
        self.current = Stream("default")
        self.generator = Generator()
        self.pools = 0
        self.modes: list[Any] = []

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answers = {
            "current_device": lambda: 0,
            "Stream": lambda device: Stream("side"),
            "graph_pool_handle": self._pool,
            "current_stream": lambda device=None: self.current,
            "set_stream": self._set,
            "stream": self._stream,
            "graph": self._graph,
            "CUDAGraph": lambda: "a graph",
            "synchronize": lambda device=None: None,
            "default_generators": (self.generator,),
            "get_sync_debug_mode": lambda: 0,
            "set_sync_debug_mode": self._mode,
        }
        for name, answer in answers.items():
            monkeypatch.setattr(torch.cuda, name, answer)

    def _pool(self) -> int:
        self.pools += 1
        return self.pools

    def _set(self, stream: Stream) -> None:
        self.current = stream

    @contextlib.contextmanager
    def _stream(self, stream: Stream) -> Iterator[None]:
        before, self.current = self.current, stream
        yield
        self.current = before

    @contextlib.contextmanager
    def _graph(self, graph: Any, pool: Any, stream: Stream, capture_error_mode: str) -> Iterator[None]:
        assert capture_error_mode == "thread_local"
        before, self.current, self.generator.state = self.current, stream, "in a capture"
        try:
            yield
        except BaseException:
            raise RuntimeError("operation failed due to a previous error during capture") from None
        self.current, self.generator.state = before, "captured"

    def _mode(self, mode: Any) -> None:
        self.modes.append(mode)
        if mode == "warn":
            warnings.warn("Synchronization debug mode is a prototype feature", stacklevel=1)


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    made = FakeCuda()
    made.install(monkeypatch)
    return made


def test_warm_ups_run_on_the_side_stream_and_both_wait_for_each_other(cuda: FakeCuda) -> None:
    graphs = CudaGraphs(torch.device("cuda"))
    assert graphs.warm_up(lambda: cuda.current.name) == "side"
    assert cuda.current.name == "default"
    assert graphs._stream.waited == ["default"]
    assert cuda.current.waited == ["side"]


def test_a_capture_runs_on_the_side_stream(cuda: FakeCuda) -> None:
    seen: list[str] = []
    graph = CudaGraphs(torch.device("cuda", 0)).capture(lambda: seen.append(cuda.current.name), [])
    assert (graph, seen, cuda.current.name) == ("a graph", ["side"], "default")


def test_a_failed_capture_is_undone_and_tells_the_first_reason(cuda: FakeCuda) -> None:
    graphs = CudaGraphs(torch.device("cuda"))
    pool = graphs._pool

    def fails() -> None:
        raise ValueError("what really happened")

    with pytest.raises(ValueError, match="what really happened"):
        graphs.capture(fails, [])
    assert cuda.current.name == "default"
    assert cuda.generator.state == "before"
    assert graphs._pool != pool


def test_waits_are_lines_and_other_warnings_go_on(cuda: FakeCuda) -> None:
    graphs = CudaGraphs(torch.device("cuda"))
    lines: list[str] = []

    def watched() -> None:
        with graphs.waits() as seen:
            warnings.warn("called a synchronizing CUDA operation", stacklevel=1)
            warnings.warn("mine", stacklevel=1)
        lines.extend(seen)

    with pytest.warns(UserWarning, match="^mine$"):
        watched()
    assert [line.rpartition(":")[0] for line in lines] == [__file__]
    assert cuda.modes == ["warn", 0]


def test_other_devices_have_no_graphs() -> None:
    assert backend_for(torch.device("cpu"))[1] == "the device is cpu: only CUDA devices have graphs"
    assert backend_for(torch.device("mps"))[1] == "the device is mps: only CUDA devices have graphs"
    if not torch.cuda.is_available():
        assert backend_for(torch.device("cuda")) == (None, "torch sees no CUDA device")
