from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.model.device.device_record import DeviceRecord
from goldsplit.model.wire import Key
from goldsplit.record.inside.device.border_window import BorderWindow
from goldsplit.record.inside.device.captures import Captures
from goldsplit.record.inside.device.kernel_looks import KernelLooks, _line
from goldsplit.record.inside.device.kernel_window import KernelWindow, read
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock
from goldsplit.store.device_rows import read_kernels


class Event:
    """As torch's profiler has them; times are of the calendar."""

    origin = 0

    def __init__(
        self, name: str, start_us: int, us: int, correlation: int, on_device: bool, size: int = 0
    ) -> None:
        self.row = (name, start_us, us, correlation, on_device, size)

    def name(self) -> str:
        return self.row[0]

    def start_ns(self) -> int:
        return self.origin + 1_000 * self.row[1]

    def duration_ns(self) -> int:
        return 1_000 * self.row[2]

    def correlation_id(self) -> int:
        return self.row[3]

    def device_type(self) -> str:
        return "DeviceType.CUDA" if self.row[4] else "DeviceType.CPU"

    def start_thread_id(self) -> int:
        return 11

    def device_resource_id(self) -> int:
        return 7

    def nbytes(self) -> int:
        return self.row[5]


EVENTS = [
    Event("cudaLaunchKernel", 10, 5, 1, False),
    Event("cudaLaunchKernel", 20, 90, 2, False),
    Event("cudaMemcpyAsync", 200, 30, 3, False),
    Event("sgemm", 30, 40, 1, True),
    Event("sgemm", 70, 40, 2, True),
    Event("Memcpy HtoD (Pageable -> Device)", 210, 10, 3, True, 4096),
    Event("of another clock", 99_000_000, 10, 9, True),
]


def test_what_the_profiler_saw_comes_back(state: ThreadState) -> None:
    window = SimpleNamespace(began_ns=clock(), ended_ns=clock() + 1_000_000)
    Event.origin = time.time_ns()
    seen = read(SimpleNamespace(events=lambda: EVENTS), window.began_ns, window.ended_ns)
    record = DeviceRecord()
    borders = BorderWindow(None, state)
    read_kernels(record, _line(window, borders, seen))  # type: ignore[arg-type]
    (found,) = record.kernels
    assert [work.name for work in found.work] == ["sgemm", "sgemm", "Memcpy HtoD (Pageable -> Device)"]
    assert [round((work.start_ns - (work.asked_ns or 0)) / 1e4) for work in found.work] == [2, 5, 1]
    assert found.work[2].bytes == 4096
    assert [call.name for call in found.calls] == [
        "cudaLaunchKernel",
        "cudaMemcpyAsync",
    ]  # the long one, the copy
    assert found.launches == 2


def test_the_profiler_is_started_and_ended_in_a_thread_of_ours() -> None:
    torch = pytest.importorskip("torch")
    results: list[Any] = []

    def look() -> None:
        window = KernelWindow(torch, {"use_kineto": True})  # no device here: the processor's activity
        window.open()
        torch.ones(4).sum()
        results.append(window.close())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert any("sum" in event.name() for event in results[0].events())
    assert not torch.autograd.profiler._is_profiler_enabled
    with torch.autograd.profiler.profile() as own:  # the program's own works after it
        torch.ones(4).sum()
    assert own.function_events


@pytest.fixture
def torch() -> Any:
    """As much of torch as the windows need."""
    running = SimpleNamespace(opened=0, closed=0)

    class Profile:
        kineto_activities = ("CUDA",)

        def __init__(self, **options: Any) -> None:
            return None

        def _prepare_trace(self) -> None:
            return None

        def config(self, create_trace_id: bool) -> str:
            return "config"

    def enable(config: str, activities: Any) -> None:
        running.opened += 1

    def disable() -> Any:
        running.closed += 1
        return SimpleNamespace(events=lambda: [])

    return SimpleNamespace(
        running=running,
        profiler=SimpleNamespace(supported_activities=lambda: {"ProfilerActivity.CUDA"}),
        autograd=SimpleNamespace(
            profiler=SimpleNamespace(profile=Profile), _enable_profiler=enable, _disable_profiler=disable
        ),
    )


def pass_through(looks: KernelLooks, state: ThreadState) -> None:
    """Open the next window and close it."""
    looks.tick(1 << 60, state)
    looks.tick(1 << 61, state)


def test_windows_that_see_nothing_are_given_up(torch: Any, state: ThreadState) -> None:
    ENGINE.last_step_ns = 1
    looks = KernelLooks(torch, Captures(), 0)
    for _ in range(5):
        if looks.is_busy_or_due(1 << 60):
            pass_through(looks, state)
    assert (torch.running.opened, torch.running.closed) == (3, 3)
    assert "another profiler" in looks.why_none


def test_the_programs_own_profiler_goes_first(torch: Any, state: ThreadState) -> None:
    ENGINE.last_step_ns = 1
    looks = KernelLooks(torch, Captures(), 0)
    pass_through(looks, state)
    torch.autograd.profiler.profile()._prepare_trace()
    assert "itself" in looks.why_none
    assert not looks.is_busy_or_due(1 << 60)


def test_no_window_beside_a_graph(torch: Any, state: ThreadState) -> None:
    captures = Captures()
    looks = KernelLooks(torch, captures, 0)
    captures.begun()
    looks.tick(1, state)
    assert torch.running.opened == 0


def test_a_tool_that_has_the_device(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_INJECTION64_PATH", "/tool.so")
    assert "another profiler" in KernelLooks(torch, Captures(), 0).why_none


def test_a_profiler_that_fails_is_given_up(torch: Any, state: ThreadState) -> None:
    def fail(config: str, activities: Any) -> None:
        raise RuntimeError("busy")

    torch.autograd._enable_profiler = fail
    looks = KernelLooks(torch, Captures(), 0)
    looks.tick(1, state)
    assert "failed" in looks.why_none
    assert looks.next_border_ns() == 1 << 62


def test_names_of_keys_are_told_apart() -> None:
    assert len({Key.WORK, Key.CALLS, Key.NAMES, Key.LAUNCHES, Key.MARKS, Key.DEVICE, Key.THREAD}) == 7
