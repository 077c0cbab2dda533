"""What an environment returned as bytes: equal values have equal bytes, in every process and with every hash
seed; different values have different bytes."""

from __future__ import annotations

import dataclasses
import enum
import struct
from collections import deque
from typing import Any

#: A changed encoding changes every hash: increase this number then, and say so.
VERSION = 1
_DEEPEST = 40
_PLAIN = frozenset({bool, int, float, str, type(None)})


class NotPlain(Exception):  # noqa: N818 - a way out, not an error
    """A value that has no content that can be compared."""

    def __init__(self, value: Any) -> None:
        self.kind = f"{type(value).__module__}.{type(value).__qualname__}"
        super().__init__(self.kind)


def encoded(value: Any, depth: int = 0) -> bytes:
    """A value as bytes; different values have different bytes."""
    if value is None or value is True or value is False:
        return b"N" if value is None else b"T" if value else b"F"
    if depth > _DEEPEST:
        raise NotPlain(value)
    plain = _scalar(value)
    if plain is not None:
        return plain
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        return b"t" + _tensor(value)
    if hasattr(value, "dtype") and hasattr(value, "tobytes"):
        return _array(value, depth)
    if isinstance(value, dict):
        pairs = sorted((encoded(key, depth + 1), encoded(inner, depth + 1)) for key, inner in value.items())
        return _joined(b"d", [part for pair in pairs for part in pair])
    if isinstance(value, set | frozenset):
        return _joined(b"u", sorted(encoded(inner, depth + 1) for inner in value))
    if isinstance(value, list | tuple | deque):
        kind = b"p" if isinstance(value, tuple) else b"l"
        if _PLAIN.issuperset(map(type, value)):  # Python writes these exactly, and much faster than we do
            return _sized(kind + b"q", repr(list(value)).encode("utf-8", "surrogatepass"))
        return _joined(kind, [encoded(inner, depth + 1) for inner in value])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return _joined(b"c", [encoded(type(value).__name__), encoded(fields, depth + 1)])
    if hasattr(value, "__array__"):  # lazily stacked frames
        return _array(value.__array__(), depth)
    raise NotPlain(value)


def _scalar(value: Any) -> bytes | None:
    if isinstance(value, enum.Enum):
        return _sized(b"e", f"{type(value).__name__}.{value.name}".encode())
    if isinstance(value, int):
        return _sized(b"i", str(int(value)).encode())
    if type(value) is float:
        return b"f" + struct.pack("<d", value)
    if isinstance(value, str):
        return _sized(b"s", str(value).encode("utf-8", "surrogatepass"))
    if isinstance(value, bytes | bytearray):
        return _sized(b"b", bytes(value))
    return None


def _array(array: Any, depth: int) -> bytes:
    """Type, shape and content, in C order whatever the strides are."""
    if array.dtype.kind == "O":
        content = _joined(b"o", [encoded(inner, depth + 1) for inner in array.reshape(-1).tolist()])
    else:
        content = array.tobytes()
    kind = array.dtype.str if array.dtype.names is None else str(array.dtype.descr)
    return _joined(b"a", [kind.encode(), repr(tuple(map(int, array.shape))).encode(), content])


def _tensor(tensor: Any) -> bytes:
    plain = tensor.detach().cpu()
    kind = str(tensor.dtype).encode()
    try:
        return _joined(kind, [_array(plain.numpy(), 0)])
    except TypeError:  # a type that NumPy does not have; wider floats can hold its values exactly
        return _joined(kind, [_array(plain.float().numpy(), 0)])


def encoded_numbers(value: Any) -> bytes:
    """Rewards: numbers as 64-bit floats, one or many; anything else as it is."""
    if value is None:
        return b"N"
    if isinstance(value, int | float):
        return b"f" + struct.pack("<d", value)
    if isinstance(value, dict):
        pairs = sorted((encoded(key), encoded_numbers(inner)) for key, inner in value.items())
        return _joined(b"d", [part for pair in pairs for part in pair])
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if isinstance(value, list | tuple):
        return _joined(b"n", [encoded_numbers(inner) for inner in value])
    if not hasattr(value, "dtype") or value.dtype.kind not in "biuf":
        return encoded(value)
    if value.ndim == 0:
        return b"f" + struct.pack("<d", float(value))
    return _joined(b"n", [encoded_numbers(inner) for inner in value.tolist()])


def encoded_bools(value: Any) -> bytes:
    """Ends and masks: True or False, one or many, of any type."""
    if value is None:
        return b"N"
    if isinstance(value, dict):
        pairs = sorted((encoded(key), encoded_bools(inner)) for key, inner in value.items())
        return _joined(b"d", [part for pair in pairs for part in pair])
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return _joined(b"m", [encoded_bools(inner) for inner in value])
    return b"T" if value else b"F"


def _joined(kind: bytes, parts: list[bytes]) -> bytes:
    return kind + len(parts).to_bytes(8, "little") + b"".join(_sized(b"", part) for part in parts)


def _sized(kind: bytes, content: bytes) -> bytes:
    return kind + len(content).to_bytes(8, "little") + content
