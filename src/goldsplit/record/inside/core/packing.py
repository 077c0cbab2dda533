"""Single spans as bytes. What `packing.c` does, in Python, held to the same tests."""

from __future__ import annotations

import struct

RAW_SPAN = struct.Struct("=qqq")
"""A span of a raw window: its node, its start, its length. Bytes, not objects: some thousand objects that
live as long as a window can set off the interpreter's full garbage collection."""
TICK_NS = 100


def raw_columns(raw: bytearray, start_ns: int) -> bytes:
    """Spans by their start, in three columns: nodes, ticks since the start before, lengths in ticks."""
    spans = sorted(RAW_SPAN.iter_unpack(raw), key=lambda span: span[1])
    gaps: list[int] = []
    before = start_ns
    for _, t0, _ in spans:
        gap = (t0 - before) // TICK_NS
        gaps.append(2 * gap if gap >= 0 else -2 * gap - 1)  # below zero: it began before the window
        before += gap * TICK_NS
    lengths = [max(0, length) // TICK_NS for *_, length in spans]
    packed = bytearray()
    for number in (*(node for node, *_ in spans), *gaps, *lengths):
        _put(packed, number)
    return bytes(packed)


def _put(packed: bytearray, number: int) -> None:
    """Seven bits a byte, the lowest first; all but the last have the eighth."""
    while number > 127:
        packed.append(number & 127 | 128)
        number >>= 7
    packed.append(number)
