"""Unpack the single spans of a raw window: the inverse of the recorder's `pack_raw`."""

from __future__ import annotations

import struct
import zlib
from array import array
from typing import Any

import numpy as np

from goldsplit.model.recording import RawSpans

_ALPHABET = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_NO_DIGIT = 255
_DIGITS = bytes(_ALPHABET.index(c) if c in _ALPHABET else _NO_DIGIT for c in range(256))
_TICK_NS = 100
_MOST_BYTES = 9
"""Of one number: sixty-three bits, seven in each."""


def unpack_raw(packed: str, start_ns: int) -> RawSpans:
    """Spans in order of their start; raises ValueError or zlib.error where the text is damaged."""
    numbers = unpack_numbers(zlib.decompress(decode85(packed)))
    if len(numbers) % 3:
        raise ValueError("a span is torn")
    nodes, gaps, lengths = numbers.reshape(3, -1)
    starts = start_ns + _TICK_NS * np.cumsum((gaps >> 1) ^ -(gaps & 1))
    columns = (nodes, starts, starts + _TICK_NS * lengths)
    return RawSpans(*(array("q", column.tobytes()) for column in columns))


def unpack_numbers(data: bytes) -> Any:
    """Numbers of seven bits a byte, the lowest first, of which all but the last have the eighth."""
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


def decode85(text: str) -> bytes:
    """What `base64.b85decode` gives; that goes character by character in Python, this in whole columns."""
    missing = -len(text) % 5
    digits = (text.encode("ascii") + _ALPHABET[-1:] * missing).translate(_DIGITS)
    if _NO_DIGIT in digits:
        raise ValueError("a character that base85 does not have")
    columns = (digits[place::5] for place in range(5))
    words = [
        52_200_625 * a + 614_125 * b + 7_225 * c + 85 * d + e for a, b, c, d, e in zip(*columns, strict=True)
    ]
    try:
        decoded = struct.pack(f">{len(words)}I", *words)
    except struct.error as error:
        raise ValueError("base85 overflow") from error
    return decoded[: len(decoded) - missing]
