"""Files that are read again and texts that are parsed again although nothing in them has changed.

Every parsed text is remembered by its hash, every file by its size and time of change. That the same came
again is a fact at the user's line. Parsers of the user's own are seen by the files that they open.
"""

from __future__ import annotations

import _io
import builtins
import functools
import io
import os
import stat
from collections.abc import Callable
from pathlib import PurePath
from types import ModuleType
from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import WatchedCore, bare_watched_call, watched_call
from goldsplit.record.inside.facts import add_fact, users_place

#: The first calls are all looked at, then one in so many: a prime.
LOOK_AT_ALL, LOOK_EVERY = 300, 7
#: Contents that are remembered, and names of files that are told apart.
MOST_CONTENTS, MOST_NAMES = 2000, 20
#: Source is read by tracebacks, inspect and compilers; the rest by tools that look at the machine.
_NOT_DATA = (".py", ".pyc", ".so")
_NOT_FILES = ("/proc/", "/sys/", "/dev/")

#: Module, name, and what the format is called. Other functions of the module call this one.
PARSERS = (
    ("json", "loads", "json"),
    ("orjson", "loads", "json"),
    ("ujson", "loads", "json"),
    ("simplejson", "loads", "json"),
    ("tomllib._parser", "loads", "toml"),
    ("tomllib", "loads", "toml"),
    ("tomli._parser", "loads", "toml"),
    ("tomli", "loads", "toml"),
    ("toml", "loads", "toml"),
    ("yaml", "load", "yaml"),
)

Reader = Callable[[tuple[Any, ...], dict[str, Any] | None], Any]


class Contents:
    """What came through one function before."""

    def __init__(self, kind: str, read: Reader) -> None:
        self.kind = kind
        self.read = read
        self.seen: set[Any] = set()
        self.names: set[str] = set()
        self.core = WatchedCore(self.begin, self.end)
        self.core.timed, self.core.countdown = False, 1

    def begin(self, arguments: tuple[Any, ...], named: dict[str, Any] | None) -> Any:
        """Before a call that is looked at."""
        self.core.countdown = 1 if self.core.calls < LOOK_AT_ALL else LOOK_EVERY
        return self.read(arguments, named)

    def end(self, token: Any, result: Any, elapsed_ns: int) -> None:
        """After it: count it if the same came before."""
        key, name = _of_file(result, token) if self.kind == "file" else token
        if key is None:
            return
        if key not in self.seen:
            if len(self.seen) < MOST_CONTENTS:
                self.seen.add(key)
            return
        place = users_place()
        if place:
            weight = 1 if self.core.calls <= LOOK_AT_ALL else LOOK_EVERY
            seconds = 0.0 if self.kind == "file" else weight * elapsed_ns / 1e9
            add_fact(FactKind.PARSED, f"{self.kind} {self._told(name)}".rstrip(), seconds, weight, place)

    def _told(self, name: str) -> str:
        if name in self.names or len(self.names) < MOST_NAMES:
            self.names.add(name)
            return name
        return "…"


def install() -> None:
    """Look at files as they are opened, and at parsers as they are imported."""
    # All of them at once: functions are pickled by the module that they name, and must be the same there.
    builtins.open = io.open = _io.open = _around(builtins.open, Contents("file", _opened))
    for module, name, kind in PARSERS:
        when_imported(module, functools.partial(_watch, name=name, kind=kind))


def _watch(module: ModuleType, name: str, kind: str) -> None:
    real = vars(module).get(name)
    if callable(real) and not hasattr(real, "__wrapped__"):
        setattr(module, name, _around(real, Contents(kind, _text)))


def _around(real: Any, contents: Contents) -> Any:
    call = bare_watched_call if isinstance(real, type(len)) else watched_call
    return call(real, None, contents.core)


def _text(arguments: tuple[Any, ...], named: dict[str, Any] | None) -> tuple[Any, str] | None:
    """A text by its hash; an open file by its size and time."""
    given = arguments[0] if arguments else next(iter((named or {}).values()), None)
    if isinstance(given, str | bytes):
        return (len(given), hash(given)), ""
    name = getattr(given, "name", None)
    return _of_file(given, name) if isinstance(name, str) else None


def _opened(arguments: tuple[Any, ...], named: dict[str, Any] | None) -> str | None:
    """The name of a file that is opened to be read."""
    if not arguments:
        return None
    file, mode = arguments[0], arguments[1] if len(arguments) > 1 else (named or {}).get("mode", "r")
    # A program's own `__fspath__` is left alone: it may do something each time.
    if not isinstance(file, str | PurePath) or not isinstance(mode, str) or set(mode) & set("wax+"):
        return None
    name = str(file)
    is_data = not name.startswith(_NOT_FILES) and not name.endswith(_NOT_DATA)
    return name if is_data else None


def _of_file(file: Any, name: str) -> tuple[Any, str]:
    """What tells an open file's content from another, and its bare name."""
    found = os.fstat(file.fileno())
    if not stat.S_ISREG(found.st_mode) or not found.st_size:
        return None, ""
    return (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size), name.rpartition("/")[2]
