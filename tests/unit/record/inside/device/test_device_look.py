from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.model.wire import Counter, Key, Line, Variable
from goldsplit.record.inside.core import enter, leave
from goldsplit.record.inside.device import device_look
from goldsplit.record.inside.device.device_look import NEVER_NS, DeviceLook
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock


@pytest.fixture
def look(state: ThreadState, device: Any, monkeypatch: pytest.MonkeyPatch) -> DeviceLook:
    device.kind = "mps"  # no hooks of torch
    monkeypatch.setenv(Variable.GPU, "1")
    monkeypatch.setattr(device_look, "clock_in_use", lambda: device)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    ENGINE.last_step_ns = 1
    return DeviceLook()


def steps(number: int) -> None:
    for _ in range(number):
        leave(enter("act"))


def test_a_window_is_opened_filled_read_and_written(look: DeviceLook, device: Any) -> None:
    (info,) = look.tick(clock())
    assert info[Key.KIND] == Line.DEVICE_INFO
    assert look.tick(clock()) == []
    steps(300)
    device.reached = False
    assert look.tick(clock()) == []
    device.reached = True
    lines = look.tick(clock())
    assert [line[Key.KIND] for line in lines] == [Line.DEVICE]
    assert len(device.given_back) == 400
    assert look.next_border_ns(clock()) < NEVER_NS
    assert look.figures() == {Counter.DEVICE_PEAK_BYTES: 4096}


def test_without_the_switch_the_device_is_asked_nothing(
    look: DeviceLook, device: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(Variable.GPU)
    plain = DeviceLook()
    (info,) = plain.tick(clock())
    assert info[Key.SETTINGS] == {"kind": "mps", "asked": False}
    steps(300)
    assert plain.tick(clock()) == []
    assert plain.next_border_ns(clock()) == NEVER_NS
    assert plain.figures() == {}
    assert device.marks == 0


def test_while_a_graph_is_recorded_nothing_is_read(look: DeviceLook, device: Any) -> None:
    look.tick(clock())
    look.tick(clock())
    steps(300)
    look.captures.begun()
    assert look.tick(clock()) == []
    assert look.figures() == {}
    look.captures.ended()
    assert look.tick(clock())


def test_a_pause_gives_up_what_is_open(look: DeviceLook, device: Any) -> None:
    look.tick(clock())
    look.tick(clock())
    steps(3)
    look.pause()
    steps(3)
    assert device.marks == 6
    assert look.window is None


def test_no_device_no_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_look, "clock_in_use", lambda: None)
    plain = DeviceLook()
    assert plain.tick(clock()) == []
    assert plain.next_border_ns(clock()) == NEVER_NS
