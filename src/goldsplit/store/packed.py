"""Unpack the single spans of a raw window: the inverse of the recorder's `pack_raw`."""

from __future__ import annotations

import json
import struct
import zlib
from array import array
from itertools import accumulate

from goldsplit.model.recording import RawSpans

_ALPHABET = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_NO_DIGIT = 255
_DIGITS = bytes(_ALPHABET.index(c) if c in _ALPHABET else _NO_DIGIT for c in range(256))
_TICK_NS = 100


def unpack_raw(packed: str, start_ns: int) -> RawSpans:
    """Spans in order of their start; raises ValueError or zlib.error where the text is damaged."""
    numbers = json.loads(b"[" + zlib.decompress(decode85(packed)) + b"]")
    if len(numbers) % 3:
        raise ValueError("a span is torn")
    nodes, gaps, lengths = (array("q", numbers[column::3]) for column in range(3))
    starts = array("q", accumulate(map(_TICK_NS.__mul__, gaps), initial=start_ns))
    del starts[0]
    ends = array("q", [start + _TICK_NS * length for start, length in zip(starts, lengths, strict=True)])
    return RawSpans(nodes, starts, ends)


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
