"""A project as one archive: what a node needs to run a variant, and where its files lie there.

Under git: tracked files and new ones that are not ignored. Elsewhere: everything below the directory, except
what is made again (caches, virtual environments, recordings).
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from goldsplit.errors import CommandError
from goldsplit.experiment.variants import Prepared
from goldsplit.experiment.worktrees import repository_root

#: A larger project is not sent around.
MOST_BYTES = 256 << 20
_LEFT_OUT = frozenset({".git", ".goldsplit", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"})
#: Rooms of an archive: the project, and copies of settings files that a variant changes.
TREE, CONFIGS = "tree", "configs"


@dataclass(frozen=True, slots=True)
class Shipped:
    """A variant that can be run elsewhere."""

    prepared: Prepared
    """Its command, variables and directory are still those of this machine."""
    archive: bytes
    places: tuple[tuple[str, str], ...]
    """Directories of this machine, and what they are called in the archive."""
    directory: str
    """Where the command runs, in the archive."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.archive).hexdigest()[:16]

    def unpacked_in(self, root: Path) -> Prepared:
        """The variant as it runs where its archive was unpacked."""
        return dataclasses.replace(
            self.prepared,
            command=tuple(self._moved(part, root) for part in self.prepared.command),
            environment={key: self._moved(value, root) for key, value in self.prepared.environment.items()},
            directory=root / self.directory,
            worktree=None,
            repository=None,
        )

    def _moved(self, text: str, root: Path) -> str:
        """A path into the project, as a path into the copy; interpreters that were not sent stay."""
        for here, name in self.places:
            at = text.find(here + os.sep)
            if at >= 0:
                there = root / name / text[at + len(here) + 1 :]
                if there.exists():
                    return text[:at] + str(there)
        return text


def ship(prepared: Prepared, folder: Path, here: Path) -> Shipped:
    """Pack what a variant needs. `folder`: the experiment's; `here`: where goldsplit was started."""
    runs_in = (prepared.directory or here).resolve()
    root = (prepared.worktree or repository_root(here) or here).resolve()
    configs = (folder / CONFIGS / prepared.variant.name).resolve()
    archive = _packed([(root, TREE, _files(root)), (configs, CONFIGS, _walk(configs))])
    if len(archive) > MOST_BYTES:
        raise CommandError(
            f"the project has {len(archive) >> 20} MiB (packed): too much to send to every node",
            f"at most {MOST_BYTES >> 20} MiB: let git ignore data, and put it where every node finds it",
        )
    places = ((str(root), TREE), (str(configs), CONFIGS))
    return Shipped(prepared, archive, places, str(Path(TREE) / runs_in.relative_to(root)))


def _files(root: Path) -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        yield from _walk(root)
        return
    for name in filter(None, listed.stdout.split("\0")):
        if (root / name).is_file() and not name.startswith(".goldsplit/"):
            yield root / name


def _walk(root: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(root):
        folders[:] = [
            one for one in folders if one not in _LEFT_OUT and not Path(place, one, "pyvenv.cfg").exists()
        ]
        yield from (Path(place, name) for name in names if Path(place, name).is_file())


def _packed(parts: list[tuple[Path, str, Iterator[Path]]]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=3) as archive:
        for root, name, files in parts:
            for file in sorted(files):
                archive.add(file, f"{name}/{file.relative_to(root)}", recursive=False)
    return stream.getvalue()


def pack_folder(folder: Path) -> bytes:
    """All files below a folder."""
    return _packed([(folder, ".", (path for path in folder.rglob("*") if path.is_file()))])


def unpack(archive: bytes, folder: Path) -> None:
    """Files from an archive, never outside of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as stream:
        stream.extractall(folder, filter="data")
