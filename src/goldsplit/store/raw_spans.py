"""Unpack the single spans of a raw window: the inverse of the recorder's `pack_raw`."""

from __future__ import annotations

import base64
import binascii
import zlib
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from goldsplit.model.recording import RawSpans

_TICK_NS = 100
_MOST_BYTES = 9
"""Of one number: sixty-three bits, seven in each."""


#: The recorder keeps some hundred spans of a window. What unpacks to far more is damage, or was made to fill
#: the memory.
MOST_IN_WINDOW = 20_000
#: Of one process in all; a day of training has fewer.
MOST_IN_PROCESS = 2_000_000
_MOST_UNPACKED_BYTES = 3 * _MOST_BYTES * MOST_IN_WINDOW

Decode = Callable[[str], bytes]
from_base64: Decode = binascii.a2b_base64
from_base85: Decode = base64.b85decode
"""Format 2; slow, in Python."""


def unpack_raw(packed: str, start_ns: int, decode: Decode = from_base64) -> RawSpans:
    """Spans in order of their start; raises ValueError or zlib.error where the text is damaged."""
    numbers = unpack_numbers(decompress(decode(packed)))
    if len(numbers) % 3 or len(numbers) > 3 * MOST_IN_WINDOW:
        raise ValueError("a span is torn, or there are too many")
    nodes, gaps, lengths = numbers.reshape(3, -1)
    starts = start_ns + _TICK_NS * np.cumsum((gaps >> 1) ^ -(gaps & 1))
    columns = (nodes, starts, starts + _TICK_NS * lengths)
    return RawSpans(*(array("q", column.tobytes()) for column in columns))


def decompress(data: bytes) -> bytes:
    """What zlib made smaller; refused where it is torn or would take far too much memory."""
    unpacking = zlib.decompressobj()
    unpacked = unpacking.decompress(data, _MOST_UNPACKED_BYTES)
    if not unpacking.eof:
        raise ValueError("torn, or too large")
    return unpacked


def unpack_numbers(data: bytes) -> Any:
    """Numbers of seven bits a byte, the lowest first; every byte of a number but its last has the eighth."""
    every = np.frombuffer(data, dtype=np.uint8)
    lasts = np.flatnonzero(every < 128)
    if len(lasts) == 0:
        return np.zeros(0, dtype=np.int64)
    if lasts[-1] != len(every) - 1:
        raise ValueError("a number is torn")
    firsts = np.concatenate(([0], lasts[:-1] + 1))
    places = np.arange(len(every)) - np.repeat(firsts, lasts - firsts + 1)
    if places.max() > _MOST_BYTES - 1:
        raise ValueError("a number is too long")
    return np.add.reduceat((every & 127).astype(np.int64) << 7 * places, firsts)
