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
from goldsplit.model.recording import CUT_OFF, FORMAT_VERSION, READABLE_FORMATS
from goldsplit.model.wire import File, Header, Key, Line
from goldsplit.store.checked.figures import whole
from goldsplit.store.checked.header import checked_header
from goldsplit.store.checked.json_lines import DAMAGE, parse_lines, read_object
from goldsplit.store.checked.regular_files import open_regular

#: A run that begins leaves this much room in its header, so that its end can be written on a full disk.
_ROOM = 8192
#: Enough for the line with which a process ends.
_LAST_BYTES = 4096
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


@dataclass(frozen=True, slots=True)
class UnreadableRun:
    """A run that is there, and why it cannot be read."""

    path: Path
    why: str
    hint: str


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
    room = " " * _ROOM if header.get(Header.STATUS) == "running" else ""
    try:
        temporary.write_text(header_text(header) + room)
        temporary.replace(path / File.HEADER)
    except OSError as error:
        full = f"{CUT_OFF}: {error.strerror}"
        if _overwritten(path / File.HEADER, header | {Header.NOTES: [*header.get(Header.NOTES, []), full]}):
            return
        if not path.is_dir():
            raise OutputError(
                f"{path} was removed while it was recorded", "nothing of this run is left; record it again"
            ) from error
        raise OutputError(
            f"cannot write {path / File.HEADER}: {error.strerror or error}",
            "free some disk space, or use --out DIR",
        ) from error


def header_text(header: dict[str, Any]) -> str:
    return json.dumps({Header.FORMAT_VERSION: FORMAT_VERSION, **header}, indent=1) + "\n"


def _overwritten(file: Path, header: dict[str, Any]) -> bool:
    """Write a header into the room of the one before it: that needs no more of a full disk."""
    data = header_text(header).encode()
    try:
        with file.open("r+b") as opened:
            size = os.fstat(opened.fileno()).st_size
            if len(data) > size:
                return False
            opened.write(data.ljust(size))
    except OSError:
        return False
    return True


def read_header(path: Path) -> dict[str, Any]:
    """Read run.json and check that this goldsplit can read the run. A copy is called by its own name: that is
    how it can be found."""
    try:
        header = read_object(path / File.HEADER)
    except FileNotFoundError as error:
        raise RunNotFoundError(f"{path} holds no run", f"a run directory has a {File.HEADER}") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise DamagedRunError(
            f"{path / File.HEADER} cannot be read: {why}",
            "the run's other files may be intact; record it again",
        ) from error
    version = header.get(Header.FORMAT_VERSION)
    if type(version) is not int:
        raise DamagedRunError(f"{path / File.HEADER} has no {Header.FORMAT_VERSION}", "record the run again")
    if version not in READABLE_FORMATS:
        is_newer = version > FORMAT_VERSION
        raise FormatError(
            f"run {path.name} has format {version}; this goldsplit reads formats "
            f"{READABLE_FORMATS[0]} to {READABLE_FORMATS[-1]}",
            "update goldsplit: pip install --upgrade goldsplit" if is_newer else "record the run again",
        )
    own_id = {Header.ID: Path(os.path.abspath(path)).name}  # noqa: PTH100 - a link keeps its name
    return settled(checked_header(header) | own_id, path)


def settled(header: dict[str, Any], path: Path) -> dict[str, Any]:
    """How a run ended that says it is running, while its recorder is gone: the program wrote its own end, or
    was killed too, as far as anybody knows."""
    if header.get(Header.STATUS) != "running" or Header.RECORDER not in header:
        return header
    pid, born = header[Header.RECORDER]
    if process_birth(pid) == born:
        return header
    ended_ns = _end_of_first_process(path)
    if ended_ns is not None:
        note = "goldsplit was killed while it recorded; the program went on and ended by itself"
        notes = [*header.get(Header.NOTES, []), note]
        return header | {Header.STATUS: "complete", Header.NOTES: notes, Header.END_NS: ended_ns}
    return header | {Header.STATUS: "killed"}


def _end_of_first_process(path: Path) -> int | None:
    """When the process that began first wrote its end; None: it has not."""
    files = sorted(path.glob(File.PROCESSES), key=lambda file: file.stem.rpartition("-")[2].zfill(30))
    try:
        with open_regular(files[0]) as file:
            file.seek(-min(_LAST_BYTES, os.fstat(file.fileno()).st_size), os.SEEK_END)
            *_, last = [None, *parse_lines(file.read())]
        return whole(last[Key.TIME]) if last is not None and last.get(Key.KIND) == Line.END else None
    except (OSError, IndexError, *DAMAGE):
        return None


def process_birth(pid: int) -> int | None:
    """When a process started, in the kernel's ticks; None: no such process. Tells reused pids apart."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def scan_runs(root: Path) -> tuple[list[RunEntry], list[UnreadableRun]]:
    """All runs below a root, oldest first; and those that cannot be read, with the reason."""
    entries, unreadable = [], []
    for path in sorted(root.iterdir()) if root.is_dir() else []:
        if _is_run(path):
            try:
                entries.append(RunEntry(path, read_header(path)))
            except (DamagedRunError, FormatError) as error:
                unreadable.append(UnreadableRun(path, error.message, error.hint))
    return sorted(entries, key=lambda entry: entry.header.get(Header.STARTED, 0.0)), unreadable


def list_runs(root: Path) -> list[RunEntry]:
    """All readable runs below a root, oldest first."""
    return scan_runs(root)[0]


def _is_run(path: Path) -> bool:
    """Whether a directory says that it is a run; its header may still be damaged, or no file at all."""
    try:
        return os.path.lexists(path / File.HEADER)
    except (OSError, ValueError):
        return False


def find_run(wanted: str, root: Path) -> RunEntry:
    """A run by path, id, name or `last`; otherwise an error with the closest match."""
    as_path = Path(wanted)
    if _is_run(as_path) or (os.sep in wanted and as_path.is_dir()):
        return RunEntry(as_path, read_header(as_path))
    exact = root / wanted
    if _is_run(exact):
        return RunEntry(exact, read_header(exact))
    entries, unreadable = scan_runs(root)
    if not entries:
        raise _no_runs(root, unreadable)
    if wanted == "last":
        return entries[-1]
    matching = [entry for entry in entries if wanted in (entry.id, entry.name)]
    if matching:
        return matching[-1]
    known = sorted({entry.id for entry in entries} | {entry.name for entry in entries if entry.name})
    close = difflib.get_close_matches(wanted, known, n=1, cutoff=0.4)
    hint = f"did you mean {close[0]}? " if close else ""
    raise RunNotFoundError(f"no run {wanted!r} in {root}", hint + "`goldsplit runs` lists them")


def _no_runs(root: Path, unreadable: list[UnreadableRun]) -> RunNotFoundError:
    if unreadable:
        return RunNotFoundError(
            f"none of the {len(unreadable)} runs in {root} can be read", "`goldsplit runs` says why"
        )
    return RunNotFoundError(f"no runs in {root}", "record one: goldsplit record -- python train.py")


def clean_name(name: str) -> str:
    """A run's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40]
