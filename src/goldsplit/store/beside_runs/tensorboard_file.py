"""Scalars of TensorBoard's event files, read without TensorBoard.

A file is a chain of records: length (8 bytes), a checksum (4), the record, a checksum (4). A record is a
protocol buffer `Event`; of it, only the wall time and simple values of summaries are read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
#: Field numbers of the messages Event, Summary and Summary.Value.
_WALL_TIME, _STEP, _SUMMARY = 1, 2, 5
_VALUE = 1
_TAG, _SIMPLE_VALUE = 1, 2


class Scalar(NamedTuple):
    """One value."""

    tag: str
    wall_time: float
    step: int
    value: float


def read_scalars(file: Path) -> list[Scalar]:
    """All scalars of a file; a torn end is left out."""
    try:
        data = file.read_bytes()
    except OSError:
        return []
    found: list[Scalar] = []
    for record in _records(data):
        try:
            found += _scalars(record)
        except (ValueError, IndexError, struct.error, UnicodeDecodeError):
            continue
    return found


def _records(data: bytes) -> Iterator[bytes]:
    place = 0
    while place + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        end = place + 12 + length
        if end + 4 > len(data):
            return
        yield data[place + 12 : end]
        place = end + 4


def _scalars(event: bytes) -> Iterator[Scalar]:
    wall_time, step = 0.0, 0
    summaries = []
    for number, value in _fields(event):
        if number == _WALL_TIME and isinstance(value, bytes):
            (wall_time,) = struct.unpack("<d", value)
        elif number == _STEP and isinstance(value, int):
            step = value
        elif number == _SUMMARY and isinstance(value, bytes):
            summaries.append(value)
    for summary in summaries:
        for number, inner in _fields(summary):
            if number == _VALUE and isinstance(inner, bytes):
                parts = dict(_fields(inner))
                tag, simple = parts.get(_TAG), parts.get(_SIMPLE_VALUE)
                if isinstance(tag, bytes) and isinstance(simple, bytes) and len(simple) == 4:
                    yield Scalar(tag.decode(), wall_time, step, struct.unpack("<f", simple)[0])


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of each field; fixed-length ones as bytes."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _varint(message, place)
            yield number, value
            continue
        if kind == _BYTES:
            length, place = _varint(message, place)
        elif kind in (_FIXED64, _FIXED32):
            length = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError("no such kind of field")
        yield number, message[place : place + length]
        place += length


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7
