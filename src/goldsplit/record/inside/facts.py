"""Facts: countable things that a hook sees beside time, as counters with names that explain themselves.

Their kinds are in `model/wire.py`, class `FactKind`; a new kind is added there.
"""

from __future__ import annotations

import sys
from types import FrameType

from goldsplit.model.fact_wire import FACT_SEPARATOR
from goldsplit.model.stack_frames import is_library
from goldsplit.model.wire import Counter
from goldsplit.record.inside.core import this_thread


def add_fact(kind: str, detail: str = "", amount: float = 0.0, count: float = 1.0, place: str = "") -> None:
    """Count one fact (`kind` is of `FactKind`) in the calling thread; `place` is what `place_of` gives."""
    counts = this_thread().counts
    name = FACT_SEPARATOR.join((kind, detail, place))
    counted = Counter.FACT_COUNT + name
    counts[counted] = counts.get(counted, 0) + count
    if amount:
        summed = Counter.FACT_SUM + name
        counts[summed] = counts.get(summed, 0) + amount


def place_of(frame: FrameType) -> str:
    """A frame as text: file, line and function."""
    code = frame.f_code
    return f"{code.co_filename}:{frame.f_lineno}:{code.co_qualname}"


def users_place() -> str:
    """The innermost frame of user code that led here; empty if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not is_library(file) and "/goldsplit/fast/" not in file:
            return place_of(frame)
        frame = frame.f_back
    return ""
