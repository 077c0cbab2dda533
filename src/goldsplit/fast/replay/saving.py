"""Replay buffers on disk: one .npz file with a header that says what it holds."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Self

import numpy as np

from goldsplit.fast.replay.schema import Field

FORMAT = "goldsplit-replay"
# Format history, newest first; readers accept every version listed here.
#   1  header (JSON), one array per field under "columns/", sampler arrays under "sampler/"
VERSION = 1


class Savable:
    """save, load and pickling for a buffer that can write down its whole state under its lock."""

    kind: ClassVar[str]
    _lock: Lock

    def _state(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def _from_state(cls, state: dict[str, Any]) -> Self:
        raise NotImplementedError

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything that decides later batches to one file: rows, sampler, random generator."""
        with self._lock:
            write(path, self.kind, self._state())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """A buffer that continues where the saved one stopped, batch for batch."""
        return cls._from_state(read(path, cls.kind))

    def __reduce__(self) -> Any:
        with self._lock:
            return _restored, (type(self), _copied(self._state()))


def write(path: str | PathLike[str], kind: str, state: Mapping[str, Any]) -> None:
    """Write next to the target first, so that a crash never leaves half a file under its name."""
    arrays, plain = _split(state, "")
    header = json.dumps({"format": FORMAT, "version": VERSION, "kind": kind, "state": plain})
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    with partial.open("wb") as file:
        np.savez(file, allow_pickle=False, header=np.array(header), **arrays)
    partial.replace(target)


def read(path: str | PathLike[str], kind: str) -> dict[str, Any]:
    """The state that `write` was given, or an error that says what the file is instead."""
    with np.load(path, allow_pickle=False) as file:
        header = json.loads(str(file["header"])) if "header" in file else {}
        if header.get("format") != FORMAT:
            raise ValueError(f"{os.fspath(path)} is not a saved replay buffer (no {FORMAT} header)")
        if header["version"] != VERSION:
            hint = "hint: load it with the goldsplit that wrote it, or update goldsplit"
            raise ValueError(
                f"{os.fspath(path)} has format version {header['version']}, supported: {VERSION}\n{hint}"
            )
        if header["kind"] != kind:
            hint = f"hint: load it with the class for {header['kind']!r} buffers"
            raise ValueError(
                f"{os.fspath(path)} holds a {header['kind']!r} replay buffer, not {kind!r}\n{hint}"
            )
        state: dict[str, Any] = header["state"]
        for key in file.files:
            if key != "header":
                _put(state, key.split("/"), file[key])
    return state


def describe_fields(fields: Mapping[str, Field]) -> list[dict[str, Any]]:
    return [
        {"name": name, "shape": list(field.shape), "dtype": np.dtype(field.dtype).str}
        for name, field in fields.items()
    ]


def fields_from(description: list[dict[str, Any]]) -> dict[str, Field]:
    return {entry["name"]: Field(tuple(entry["shape"]), np.dtype(entry["dtype"])) for entry in description}


def _restored(cls: type[Savable], state: dict[str, Any]) -> Savable:
    return cls._from_state(state)


def _copied(state: dict[str, Any]) -> dict[str, Any]:
    """The state with arrays of its own, so that later writes to the buffer do not reach it."""
    return {
        key: _copied(value)
        if isinstance(value, dict)
        else value.copy()
        if isinstance(value, np.ndarray)
        else value
        for key, value in state.items()
    }


def _split(state: Mapping[str, Any], prefix: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays under slash-joined keys, everything else as nested plain data."""
    arrays: dict[str, Any] = {}
    plain: dict[str, Any] = {}
    for key, value in state.items():
        if isinstance(value, np.ndarray):
            arrays[prefix + key] = value
        elif isinstance(value, Mapping):
            inner, plain[key] = _split(value, f"{prefix}{key}/")
            arrays.update(inner)
        else:
            plain[key] = value
    return arrays, plain


def _put(state: dict[str, Any], keys: list[str], array: Any) -> None:
    for key in keys[:-1]:
        state = state.setdefault(key, {})
    state[keys[-1]] = array
