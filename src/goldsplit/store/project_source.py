"""Which source files a report may show: those of the run's own project, never any path that a run names.

A run may come from a stranger, and a report may go back to one. A file is shown if the run knew its content
(it holds the file's digest, which nobody can write down who has not read the file), or if it lies in the
project that is being looked at: below the folder that holds the run's `.goldsplit`, or below the current
directory. Then it must be plain Python source, not hidden, with a function that was sampled.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections import defaultdict
from pathlib import Path

from goldsplit.model.recording import Recording
from goldsplit.store.checked.regular_files import read_regular
from goldsplit.store.directory import DEFAULT_ROOT

#: Nobody writes a longer file by hand.
MOST_SOURCE_BYTES = 4 << 20


class NotShownError(OSError):
    """A file that is there, but is not shown; says why."""


class ProjectSource:
    """Reads the source of one recording."""

    def __init__(self, recording: Recording, current: Path | None = None) -> None:
        self._digests = recording.digests
        self._functions: dict[str, set[str]] = defaultdict(set)
        for frame in recording.frames:
            self._functions[frame.file].add(frame.function.rpartition(".")[2])
        self._roots = project_folders(recording.folder, current)

    def read(self, file: str) -> tuple[list[str], float]:
        """A file's lines, and when it was changed last (0: it is as it was). Raises OSError."""
        path = self._found(file)
        if path.suffix not in (".py", ".pyw"):
            raise NotShownError("not shown: it is not a Python source file")
        data = read_regular(path, MOST_SOURCE_BYTES)
        lines = data.decode(errors="replace").splitlines()
        known = self._digests.get(file)
        if known is not None and known == digest(data):
            return lines, 0.0
        if not self._is_inside(path.resolve()):
            raise NotShownError(
                "not shown: it does not belong to this run's project; write the report in its own folder"
            )
        if not self._defines_what_was_sampled(file, "\n".join(lines)):
            raise NotShownError("not shown: it has none of the functions that were sampled")
        return lines, path.stat().st_mtime

    def _found(self, file: str) -> Path:
        """A relative name is looked for in the project."""
        if "\0" in file or not file:
            raise FileNotFoundError(f"no file name: {file!r}")
        path = Path(file)
        places = [path] if path.is_absolute() else [root / path for root in self._roots]
        return next((place for place in places if place.exists()), path)

    def _is_inside(self, path: Path) -> bool:
        """Below the project, and in no hidden folder of it (.git, .ssh, .venv)."""
        inside = (path.relative_to(root).parts for root in self._roots if path.is_relative_to(root))
        return any(not any(part.startswith(".") for part in parts) for parts in inside)

    def _defines_what_was_sampled(self, file: str, text: str) -> bool:
        names = {name for name in self._functions.get(file, ()) if name.isidentifier()}
        return any(re.search(rf"\bdef\s+{re.escape(name)}\b", text) for name in names)


def project_folders(run_folder: str, current: Path | None = None) -> list[Path]:
    """The folders that the reader looks at: the one that the run lies in, and the current one. The root of
    the machine and a home directory are no project."""
    found = []
    run = Path(run_folder) if run_folder else None
    if run is not None and run.parts[-3:-1] == DEFAULT_ROOT.parts:
        found.append(run.parents[2])
    with contextlib.suppress(OSError):  # it was removed
        found.append((current or Path.cwd()).resolve())
    try:
        home = Path.home()
    except RuntimeError:  # this user has none
        home = Path("/")
    return [folder for folder in dict.fromkeys(found) if not home.is_relative_to(folder)]


def digest(data: bytes) -> str:
    """What a file's content is known by."""
    return hashlib.sha256(data).hexdigest()
