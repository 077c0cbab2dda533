from __future__ import annotations

from typing import Any

import pytest

from goldsplit.model.device.device_record import DeviceRecord
from goldsplit.record.inside.core import enter, leave, this_thread
from goldsplit.record.inside.device.border_window import LONGEST_NS, BorderWindow
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.packed_numbers import pack_raw
from goldsplit.store.device_rows import read_marks


def rounds(number: int) -> None:
    for _ in range(number):
        outer, inner = enter("env.step"), enter("act")
        leave(inner)
        leave(outer)


def test_every_border_has_a_mark(state: ThreadState, device: Any) -> None:
    window = BorderWindow(device, this_thread())
    window.open()
    rounds(5)
    window.end(window.times_ns[-1])
    rounds(5)
    assert device.marks == 20
    record = DeviceRecord()
    line = window.line(pack_raw)
    assert line is not None
    read_marks(record, line)
    (seen,) = record.marks
    assert seen.device_ns == [1_000 * n for n in range(20)]
    assert len(seen.spans) == 10
    assert seen.times_ns == sorted(seen.times_ns)


def test_a_window_is_bounded(state: ThreadState, device: Any) -> None:
    window = BorderWindow(device, this_thread(), most=8)
    window.open()
    rounds(10)
    assert device.marks == 8
    assert window.is_over(0)


def test_an_old_window_ends(state: ThreadState, device: Any) -> None:
    window = BorderWindow(device, this_thread())
    window.open()
    rounds(1)
    assert not window.is_over(window.began_ns + 1)
    assert window.is_over(window.began_ns + LONGEST_NS + 1)
    rounds(1)
    assert device.marks == 4


@pytest.mark.parametrize("how", ["capturing", "barred"])
def test_nothing_is_put_into_a_graph(state: ThreadState, device: Any, how: str) -> None:
    device.capturing = how == "capturing"
    window = BorderWindow(device, this_thread(), is_barred=lambda: how == "barred")
    window.open()
    rounds(3)
    assert device.marks == 0
    assert window.is_over(0)


def test_a_failure_ends_the_window_and_is_counted_once(state: ThreadState, device: Any) -> None:
    device.fails = True
    window = BorderWindow(device, this_thread())
    window.open()
    rounds(3)
    assert window.is_over(0)
    assert [number for _, number in ENGINE.failures.values()] == [1]


def test_other_threads_are_not_marked(state: ThreadState, device: Any) -> None:
    other = ThreadState(ENGINE, 99)
    window = BorderWindow(device, other)
    window.open()
    rounds(2)
    window.end(1)
    assert device.marks == 0
    assert window.line(pack_raw) is None
