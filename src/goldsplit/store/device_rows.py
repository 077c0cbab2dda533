"""Read what a process wrote about its device; what is damaged raises ValueError."""

from __future__ import annotations

import binascii
from typing import Any

import numpy as np

from goldsplit.model.device.device_record import DeviceRecord, HostCall, KernelRecord, MarkWindow, Work
from goldsplit.model.wire import Key
from goldsplit.store.checked.figures import count, whole
from goldsplit.store.raw_spans import decompress, unpack_raw

#: Of one process; what has far more was made to fill the memory.
MOST_WINDOWS = 20_000
MOST_WORK = 60_000
_UNKNOWN_NS = -(1 << 40)


def read_marks(record: DeviceRecord, line: dict[str, Any]) -> None:
    """A window of marks."""
    start = whole(line[Key.TIME])
    marks = unpack_raw(line[Key.MARKS], start)
    device = [end - at for _, at, end in marks.rows()]
    if sorted(device) != device:
        raise ValueError("a device's clock that goes back")
    if len(record.marks) >= MOST_WINDOWS:
        raise ValueError("too many windows")
    record.marks.append(
        MarkWindow(
            start_ns=start,
            end_ns=whole(line[Key.END]),
            thread=count(line[Key.THREAD]),
            index=whole(line[Key.DEVICE][1]),
            times_ns=list(marks.starts_ns),
            device_ns=device,
            spans=unpack_raw(line[Key.RAW_SPANS], start),
        )
    )


def read_kernels(record: DeviceRecord, line: dict[str, Any]) -> None:
    """A window of torch's profiler."""
    start = whole(line[Key.TIME])
    names = [str(name) for name in line[Key.NAMES]]
    if len(record.kernels) >= MOST_WINDOWS:
        raise ValueError("too many windows")
    record.kernels.append(
        KernelRecord(
            start_ns=start,
            end_ns=whole(line[Key.END]),
            thread=count(line[Key.THREAD]),
            work=[
                Work(names[row[0]], row[1], row[2], row[3] or None, row[4], row[5], row[6])
                for row in _rows(line[Key.WORK], 7, (1, 2, 3), start)
            ],
            calls=[
                HostCall(names[row[0]], row[1], row[2], row[3])
                for row in _rows(line[Key.CALLS], 4, (1, 2), start)
            ],
            launches=count(line[Key.LAUNCHES]),
            spans=unpack_raw(line[Key.RAW_SPANS], start),
        )
    )


def read_info(record: DeviceRecord, line: dict[str, Any]) -> None:
    """The device and its settings."""
    settings = line[Key.SETTINGS]
    if not isinstance(settings, dict):
        raise ValueError("no settings")
    record.settings = {str(name): value for name, value in settings.items()}


def _rows(packed: str, width: int, times: tuple[int, ...], start_ns: int) -> list[list[int]]:
    """The inverse of the recorder's `pack_rows`; a time that is not known is 0."""
    data = decompress(binascii.a2b_base64(packed))
    if len(data) % (8 * width) or len(data) > 8 * width * MOST_WORK:
        raise ValueError("a row is torn, or there are too many")
    columns = np.cumsum(np.frombuffer(data, dtype="<i8").reshape(width, -1), axis=1)
    for place in times:
        known = columns[place] != _UNKNOWN_NS
        columns[place] = np.where(known, columns[place] + start_ns, 0)
    return [[int(value) for value in row] for row in columns.T]
