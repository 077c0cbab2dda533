"""The processes below a process, found without asking about the rest of the machine each time."""

from __future__ import annotations

import os
from pathlib import Path

import psutil


class ProcessTree:
    """The descendants of a process, without the one that looks and what that one started: a shell may be
    watched from inside itself. The parent of each process is read once, when it is first seen: with hundreds
    of processes, reading all of them every few seconds costs more than everything else here."""

    def __init__(self, root: int) -> None:
        self.root = root
        self._members: set[int] = set()
        self._seen: set[int] = set()

    def below(self) -> list[int]:
        """The descendants that exist now. A worker stays one if its parent dies."""
        existing = set(psutil.pids())
        parents = {pid: parent_of(pid) for pid in existing - self._seen}
        self._members = {pid for pid in existing if pid in self._members or self._is_below(pid, parents)}
        self._seen = existing
        return sorted(self._members)

    def _is_below(self, pid: int, parents: dict[int, int]) -> bool:
        """Whether a new process has the root or a member above it, with only new ones between."""
        if pid == self.root:
            return False
        while pid in parents and pid != os.getpid():
            pid = parents[pid]
            if pid == self.root or pid in self._members:
                return True
        return False


def parent_of(pid: int) -> int:
    """The parent of a process; 0 where it has ended or may not be read."""
    try:
        # A program's name stands in parentheses, and may itself have parentheses.
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return 0
