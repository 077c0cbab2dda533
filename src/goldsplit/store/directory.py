"""Where runs are: one directory per run below `.goldsplit/runs`, each with a `run.json`."""

from __future__ import annotations

import difflib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldsplit.errors import DamagedRunError, FormatError, OutputError, RunNotFoundError
from goldsplit.model.recording import FORMAT_VERSION, READABLE_FORMATS
from goldsplit.model.wire import File, Header

DEFAULT_ROOT = Path(".goldsplit") / "runs"


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run of the index."""

    path: Path
    header: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.header.get(Header.ID, self.path.name))

    @property
    def name(self) -> str:
        return str(self.header.get(Header.NAME, ""))


def create_run(root: Path, run_id: str) -> Path:
    """Make a new run directory; errors say what to do."""
    path = root / run_id
    try:
        path.mkdir(parents=True)
        ignore = root.parent / ".gitignore" if root == DEFAULT_ROOT else None
        if ignore is not None and not ignore.exists():
            ignore.write_text("*\n")
        (path / ".writable").touch()
        (path / ".writable").unlink()
    except OSError as error:
        raise OutputError(
            f"cannot write a run below {root}: {error.strerror or error}",
            "choose another place with --out DIR",
        ) from error
    return path.resolve()


def write_header(path: Path, header: dict[str, Any]) -> None:
    """Write run.json in one step, so that a kill leaves the old one or the new one, never half."""
    temporary = path / (File.HEADER + ".new")
    try:
        temporary.write_text(json.dumps({Header.FORMAT_VERSION: FORMAT_VERSION, **header}, indent=1) + "\n")
        temporary.replace(path / File.HEADER)
    except OSError as error:
        raise OutputError(
            f"cannot write {path / File.HEADER}: {error.strerror or error}",
            "free some disk space, or use --out DIR",
        ) from error


def read_header(path: Path) -> dict[str, Any]:
    """Read run.json and check that this goldsplit can read the run."""
    try:
        header = json.loads((path / File.HEADER).read_text())
    except FileNotFoundError as error:
        raise RunNotFoundError(f"{path} holds no run", f"a run directory has a {File.HEADER}") from error
    except (OSError, ValueError) as error:
        raise DamagedRunError(
            f"{path / File.HEADER} cannot be read: {error}",
            "the run's other files may be intact; record it again",
        ) from error
    version = header.get(Header.FORMAT_VERSION) if isinstance(header, dict) else None
    if not isinstance(version, int):
        raise DamagedRunError(f"{path / File.HEADER} has no {Header.FORMAT_VERSION}", "record the run again")
    if version not in READABLE_FORMATS:
        is_newer = version > FORMAT_VERSION
        raise FormatError(
            f"run {path.name} has format {version}; this goldsplit reads formats "
            f"{READABLE_FORMATS[0]} to {READABLE_FORMATS[-1]}",
            "update goldsplit: pip install --upgrade goldsplit" if is_newer else "record the run again",
        )
    return settled(dict(header))


def settled(header: dict[str, Any]) -> dict[str, Any]:
    """A run that says it is running, while its recorder is gone, was killed together with it."""
    if header.get(Header.STATUS) == "running" and Header.RECORDER in header:
        pid, born = header[Header.RECORDER]
        if process_birth(int(pid)) != born:
            return header | {Header.STATUS: "killed"}
    return header


def process_birth(pid: int) -> int | None:
    """When a process started, in the kernel's ticks; None: no such process. Tells reused pids apart."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def list_runs(root: Path) -> list[RunEntry]:
    """All readable runs below a root, oldest first."""
    entries = []
    for path in sorted(root.iterdir()) if root.is_dir() else []:
        if (path / File.HEADER).is_file():
            try:
                entries.append(RunEntry(path, read_header(path)))
            except (DamagedRunError, FormatError):
                continue
    return sorted(entries, key=lambda entry: entry.header.get(Header.STARTED, 0.0))


def find_run(wanted: str, root: Path) -> RunEntry:
    """A run by path, id, name or `last`; otherwise an error with the closest match."""
    as_path = Path(wanted)
    if (as_path / File.HEADER).exists() or (os.sep in wanted and as_path.is_dir()):
        return RunEntry(as_path, read_header(as_path))
    exact = root / wanted
    if (exact / File.HEADER).exists():
        return RunEntry(exact, read_header(exact))
    entries = list_runs(root)
    if not entries:
        raise RunNotFoundError(f"no runs in {root}", "record one: goldsplit record -- python train.py")
    if wanted == "last":
        return entries[-1]
    matching = [entry for entry in entries if wanted in (entry.id, entry.name)]
    if matching:
        return matching[-1]
    known = sorted({entry.id for entry in entries} | {entry.name for entry in entries if entry.name})
    close = difflib.get_close_matches(wanted, known, n=1, cutoff=0.4)
    hint = f"did you mean {close[0]}? " if close else ""
    raise RunNotFoundError(f"no run {wanted!r} in {root}", hint + "`goldsplit runs` lists them")


def clean_name(name: str) -> str:
    """A run's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40]
