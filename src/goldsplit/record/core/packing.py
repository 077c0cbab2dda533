"""Single spans as text. What `packing.c` does, in Python, held to the same tests."""

from __future__ import annotations

import base64
import struct

RAW_SPAN = struct.Struct("=qqq")
"""A span of a raw window: its node, its start, its length. Bytes, not objects: some thousand objects that
live as long as a window can set off the interpreter's full garbage collection."""
TICK_NS = 100


def raw_text(raw: bytearray, start_ns: int) -> bytes:
    """Spans by their start, three numbers each: node, ticks since the start before, length in ticks."""
    numbers: list[int] = []
    before = start_ns
    for node_id, t0, elapsed in sorted(RAW_SPAN.iter_unpack(raw), key=lambda span: span[1]):
        gap = (t0 - before) // TICK_NS
        numbers += (node_id, gap, elapsed // TICK_NS)
        before += gap * TICK_NS
    return ",".join(map(str, numbers)).encode()


def encode85(data: bytes) -> str:
    """Bytes as letters, five for four."""
    return base64.b85encode(data).decode()
