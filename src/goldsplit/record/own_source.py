"""Read the source of the program that runs, and keep in the run's directory what its functions are taken for.

The first process of a script does it; others (workers above all, which have no script) read the file.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.wire import File, Named
from goldsplit.naming.reading.program import read_program
from goldsplit.naming.roles import decide_in_time
from goldsplit.record.writer import LineWriter

#: Options of the interpreter that are followed by a value.
_WITH_VALUE = frozenset({"-X", "-W", "--check-hash-based-pycs"})


def script_of(arguments: list[str], directory: Path) -> Path | None:
    """The script that an interpreter's command line runs; None for one without (`-c`, a worker's)."""
    place = 1
    while place < len(arguments):
        argument = arguments[place]
        if argument == "-m" and place + 1 < len(arguments):
            base = directory.joinpath(*arguments[place + 1].split("."))
            found = (path for path in (base.with_suffix(".py"), base / "__main__.py") if path.is_file())
            return next(found, None)
        if argument.startswith("-"):
            if argument.startswith("-c") or argument == "-":
                return None
            place += 2 if argument in _WITH_VALUE else 1
            continue
        path = Path(os.path.abspath(directory / argument))  # noqa: PTH100 - links stay, as the interpreter leaves them
        return path / "__main__.py" if path.is_dir() else path
    return None


def named_functions(run_dir: str, script: Path | None, search: list[str]) -> dict[str, list[NamedFunction]]:
    """Source file → its functions that have a stage; files without any are there too. Reads the program,
    unless another process has done it."""
    known = load(run_dir)
    if script is None or str(script) in known or not script.is_file():
        return known
    found = decide_in_time(read_program(script, search))
    writer = LineWriter(os.path.join(run_dir, File.NAMED))  # noqa: PTH118
    for file, functions in found.items():
        rows = [_row(function) for function in functions]
        writer.write({Named.FILE: file, Named.DIGEST: _digest(file), Named.FUNCTIONS: rows})
    return {**known, **found}


def load(run_dir: str) -> dict[str, list[NamedFunction]]:
    """What has been written so far; a torn line is left out."""
    found: dict[str, list[NamedFunction]] = {}
    try:
        text = Path(run_dir, File.NAMED).read_text()
    except OSError:
        return found
    for line in text.splitlines():
        try:
            row: dict[str, Any] = json.loads(line)
            file = row[Named.FILE]
            found[file] = [NamedFunction(file, *function) for function in row[Named.FUNCTIONS]]
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _digest(file: str) -> str | None:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return None


def _row(function: NamedFunction) -> list[Any]:
    return [
        function.function,
        function.first,
        function.last,
        function.stage,
        function.reason,
        function.counted,
        function.ends_at,
        *([list(function.own_counters)] if function.own_counters is not None else []),
    ]
