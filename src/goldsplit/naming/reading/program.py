"""The source files of a program: the script, and what it imports of the user's own code, from there on."""

from __future__ import annotations

import time
import tokenize
from collections.abc import Iterable
from pathlib import Path

from goldsplit.model.stack_frames import is_library
from goldsplit.naming.reading.code_facts import SourceFile
from goldsplit.naming.reading.source import read

#: More files or longer ones are not read: it would delay the start of the program.
MOST_FILES = 150
LONGEST_FILE = 400_000
#: Processor time for reading; the decision afterwards takes about as long.
MOST_SECONDS = 1.0
#: Programs that import goldsplit do not play in it, wherever it is installed from.
_GOLDSPLIT = Path(__file__).resolve().parents[2]


def read_program(script: Path, search: Iterable[str]) -> list[SourceFile]:
    """Read a script and the modules that it imports, as far as they are the user's own. `search` is where the
    interpreter looks for modules. What cannot be read is left out; where there is much, so is what is
    farthest from the script."""
    roots = [Path(entry) for entry in search if entry and not is_library(f"{entry}/x.py")]
    roots = list(dict.fromkeys([script.parent, *roots]))
    found: dict[str, SourceFile] = {}
    waiting = [script]
    started = time.thread_time()
    while waiting and len(found) < MOST_FILES and time.thread_time() - started < MOST_SECONDS:
        path = waiting.pop(0)
        if str(path) in found or is_library(str(path)) or path.is_relative_to(_GOLDSPLIT):
            continue
        source = read_file(path)
        if source is None:
            continue
        found[str(path)] = source
        for module, name in list(source.imports.values()):
            waiting += files_of(module, name, path, roots)
    return list(found.values())


def read_file(path: Path) -> SourceFile | None:
    """One file's facts; None where it cannot be read."""
    try:
        if path.stat().st_size > LONGEST_FILE:
            return None
        with tokenize.open(path) as file:
            return read(file.read(), str(path))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def files_of(module: str, name: str, importer: Path, roots: list[Path]) -> list[Path]:
    """Where an imported module, or the module that an imported name may be, can lie."""
    bare = module.lstrip(".")
    level = len(module) - len(bare)
    places = [importer.parents[level - 1]] if 0 < level <= len(importer.parents) else roots
    parts = [part for part in bare.split(".") if part]
    found = []
    for root in places:
        base = root.joinpath(*parts)
        itself = (base.with_suffix(".py"), base / "__init__.py")
        inside = (base / f"{name}.py", base / name / "__init__.py")
        found += [path for path in (*itself, *inside) if path.name != ".py" and path.is_file()]
        if found:
            break
    return found
