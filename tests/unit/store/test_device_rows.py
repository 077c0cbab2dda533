from __future__ import annotations

from array import array
from typing import Any

import pytest

from goldsplit.model.device.device_record import DeviceRecord
from goldsplit.model.wire import Key
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.packed_numbers import pack_raw, pack_rows
from goldsplit.store.device_rows import _rows, read_info, read_marks


def test_rows_come_back_with_times_that_are_not_known() -> None:
    rows = array("q", [3, 5_000, 6_000, 0, 1, 9_000, 9_500, 4_000])
    packed = pack_rows(rows, 4, (1, 2, 3), 1_000)
    assert _rows(packed, 4, (1, 2, 3), 1_000) == [[3, 5_000, 6_000, 0], [1, 9_000, 9_500, 4_000]]


def test_torn_rows_are_refused() -> None:
    packed = pack_rows(array("q", [1, 2, 3]), 3, (), 0)
    with pytest.raises(ValueError, match="torn"):
        _rows(packed, 2, (), 0)


def test_a_clock_that_goes_back_is_damage() -> None:
    marks = bytearray(RAW_SPAN.pack(0, 100, 5_000) + RAW_SPAN.pack(0, 200, 1_000))
    line: dict[str, Any] = {
        Key.TIME: 0,
        Key.END: 1_000,
        Key.THREAD: 0,
        Key.DEVICE: ["cuda", 0],
        Key.MARKS: pack_raw(marks, 0),
        Key.RAW_SPANS: pack_raw(bytearray(), 0),
    }
    with pytest.raises(ValueError, match="goes back"):
        read_marks(DeviceRecord(), line)


def test_settings_are_a_dictionary() -> None:
    with pytest.raises(ValueError, match="settings"):
        read_info(DeviceRecord(), {Key.SETTINGS: [1]})
