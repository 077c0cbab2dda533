"""Facts: countable things that a hook sees beside time, as counters with speaking names.

Kinds so far (add yours here):
"""

from __future__ import annotations

from types import FrameType

from goldsplit.record.engine import ENGINE

#: Parts of a fact's name are joined by this; it is in no file or function name that we have seen.
SEPARATOR = "\x1f"


def add_fact(kind: str, detail: str = "", amount: float = 0.0, count: float = 1.0, place: str = "") -> None:
    """Count one fact in the calling thread; `place` is what `place_of` gives."""
    counts = ENGINE.state().counts
    name = SEPARATOR.join((kind, detail, place))
    counts["fact_n:" + name] = counts.get("fact_n:" + name, 0) + count
    if amount:
        counts["fact_sum:" + name] = counts.get("fact_sum:" + name, 0) + amount


def place_of(frame: FrameType) -> str:
    """A frame as text: file, line and function."""
    code = frame.f_code
    return f"{code.co_filename}:{frame.f_lineno}:{code.co_qualname}"
