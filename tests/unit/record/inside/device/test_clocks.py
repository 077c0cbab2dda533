from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.inside.device.clocks import CudaClock, clock_in_use


class Event:
    made = 0

    def __init__(self, enable_timing: bool) -> None:
        assert enable_timing
        Event.made += 1

    def record(self, stream: Any) -> None:
        self.stream = stream

    def query(self) -> bool:
        return True

    def elapsed_time(self, other: Any) -> float:
        return 1.5


def torch_with(initialized: bool, device: int = 0, hip: str | None = None) -> SimpleNamespace:
    stream = SimpleNamespace(device_index=device)
    cuda = SimpleNamespace(
        is_initialized=lambda: initialized,
        Event=Event,
        current_stream=lambda: stream,
        current_device=lambda: device,
        is_current_stream_capturing=lambda: False,
        max_memory_allocated=lambda: 7,
    )
    return SimpleNamespace(
        cuda=cuda, version=SimpleNamespace(hip=hip), stream=stream, backends=SimpleNamespace()
    )


def test_a_program_that_has_not_used_the_device_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch_with(False))
    assert clock_in_use() is None
    monkeypatch.delitem(sys.modules, "torch")
    assert clock_in_use() is None


@pytest.mark.parametrize(("hip", "kind"), [(None, "cuda"), ("6.0", "rocm")])
def test_marks_are_used_again(monkeypatch: pytest.MonkeyPatch, hip: str | None, kind: str) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch_with(True, hip=hip))
    clock = clock_in_use()
    assert isinstance(clock, CudaClock)
    assert clock.kind == kind
    Event.made = 0
    marks = [clock.mark() for _ in range(3)]
    clock.give_back(marks, 0)
    again = [clock.mark() for _ in range(3)]
    assert Event.made == 3
    assert clock.between_ns(again[0], again[1]) == 1_500_000


def test_an_event_stays_with_its_device() -> None:
    torch = torch_with(True)
    clock = CudaClock(torch)
    Event.made = 0
    marks = [clock.mark()]
    clock.give_back(marks, 0)
    torch.stream.device_index = 1
    clock.mark()
    assert Event.made == 2
    clock.give_back(marks, 0)  # read late: the program has gone on to another device
    clock.mark()
    assert Event.made == 3
