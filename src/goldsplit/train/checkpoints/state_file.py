"""Nested plain data with arrays and tensors in one file, without pickle: reading it runs no code of the file.

A zip of three parts: `header.json` (small, to be read alone), `state.json` (the tree), `arrays.bin` (the
bytes of all arrays, one after the other). In the tree a list is a list; everything else that JSON does not
have is an object with one key: a tuple `t`, a dict `d` (pairs, since keys may be numbers), a deque `q`, bytes
`b`, an array `a`, a NumPy number `n`, a tensor `x`. The zip has a check sum of each part, so that damage is
found.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections import deque
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch

HEADER, TREE, ARRAYS = "header.json", "state.json", "arrays.bin"
#: Large arrays go to the file in parts, so that no second copy of a replay memory is made.
PART_BYTES = 1 << 24


class NotPlainError(TypeError):
    """Something in the state that is neither plain data nor an array."""


class DamagedError(ValueError):
    """The file is cut off, changed, or not of this kind."""


def write_state(path: Path, header: dict[str, Any], state: Any) -> None:
    """Write beside the target first, so that a crash never leaves half a file under its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as parts:
                parts.writestr(HEADER, json.dumps(header))
                with parts.open(ARRAYS, "w", force_zip64=True) as arrays:
                    tree = _Writer(arrays).encoded(state, "state")
                parts.writestr(TREE, json.dumps(tree))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_header(path: Path) -> dict[str, Any]:
    """The small part alone."""
    with _opened(path) as parts:
        return _json(parts, HEADER)


def read_state(path: Path) -> Any:
    """The tree, with fresh arrays and tensors on the CPU."""
    with _opened(path) as parts:
        tree = _json(parts, TREE)
        try:
            return _Reader(parts.read(ARRAYS)).decoded(tree)
        except (
            zipfile.BadZipFile,
            KeyError,
            ValueError,
            TypeError,
            RuntimeError,
            EOFError,
            OSError,
        ) as error:
            raise DamagedError(f"its arrays cannot be read ({error})") from error


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise DamagedError("it is cut off, or another kind of file") from error


def _json(parts: zipfile.ZipFile, name: str) -> Any:
    try:
        return json.loads(parts.read(name))
    except KeyError as error:
        raise DamagedError(f"it has no part {name}") from error
    except (zipfile.BadZipFile, ValueError, RuntimeError, EOFError, OSError, NotImplementedError) as error:
        raise DamagedError(f"its part {name} cannot be read ({error})") from error


class _Writer:
    """Makes the tree and streams the bytes of arrays."""

    def __init__(self, arrays: IO[bytes]) -> None:
        self._arrays, self._at = arrays, 0

    def encoded(self, value: Any, name: str) -> Any:
        """What JSON can hold; `name` is the way to this value, for the error."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) is list:
            return [self.encoded(one, f"{name}[{i}]") for i, one in enumerate(value)]
        if type(value) is tuple:
            return {"t": [self.encoded(one, f"{name}[{i}]") for i, one in enumerate(value)]}
        if isinstance(value, dict):  # also an OrderedDict: a network's weights
            pairs = [[self.encoded(k, name), self.encoded(v, f"{name}[{k!r}]")] for k, v in value.items()]
            return {"d": pairs}
        if type(value) is deque:
            return {"q": [value.maxlen, [self.encoded(one, name) for one in value]]}
        if isinstance(value, bytes | bytearray):
            return {"b": [len(value), self._put(memoryview(value))]}
        if isinstance(value, torch.Tensor):
            flat = value.detach().cpu().contiguous().reshape(-1)
            kind = str(value.dtype).removeprefix("torch.")
            return {"x": [kind, list(value.shape), self._put(_bytes_of(flat.view(torch.uint8).numpy()))]}
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc":
            key = "a" if isinstance(value, np.ndarray) else "n"
            return {key: [value.dtype.str, list(value.shape), self._put(_bytes_of(np.asarray(value)))]}
        raise NotPlainError(f"{name} is a {type(value).__name__}: neither plain data nor an array")

    def _put(self, content: memoryview) -> int:
        begins = self._at
        for part in range(0, len(content), PART_BYTES):
            self._arrays.write(content[part : part + PART_BYTES])
        self._at += len(content)
        return begins


def _bytes_of(array: Any) -> memoryview:
    flat: Any = np.ascontiguousarray(array).reshape(-1)
    return memoryview(flat.view(np.uint8)) if flat.size else memoryview(b"")


class _Reader:
    """Makes the values again; arrays are copies that own their memory."""

    def __init__(self, arrays: bytes) -> None:
        self._arrays = arrays

    def decoded(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.decoded(one) for one in value]
        if not isinstance(value, dict):
            return value
        ((key, content),) = value.items()
        if key == "t":
            return tuple(self.decoded(one) for one in content)
        if key == "d":
            return {self.decoded(k): self.decoded(v) for k, v in content}
        if key == "q":
            return deque((self.decoded(one) for one in content[1]), maxlen=content[0])
        if key == "b":
            return bytes(self._taken(content[1], content[0]))
        kind, shape, begins = content
        count = int(np.prod(shape, dtype=np.int64))
        if key == "x":
            dtype = getattr(torch, kind)
            size = torch.empty(0, dtype=dtype).element_size()
            flat = torch.frombuffer(
                bytearray(self._taken(begins, count * size)) or bytearray(size), dtype=dtype
            )
            return flat[:count].clone().reshape(shape)
        found = np.frombuffer(self._taken(begins, count * np.dtype(kind).itemsize), np.dtype(kind)).reshape(
            shape
        )
        if key not in ("a", "n"):
            raise ValueError(f"unknown part {key!r}")
        return found.copy() if key == "a" else found[()]

    def _taken(self, begins: int, length: int) -> memoryview:
        content = memoryview(self._arrays)[begins : begins + length]
        if begins < 0 or len(content) != length:
            raise ValueError("an array lies outside of the file")
        return content
