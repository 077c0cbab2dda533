"""The last seconds of a run that is still being written, as a Recording of bounded size.

Each look reads only what is new. What is older than some seconds is merged into one snapshot, so that the
analysis costs the same after an hour as after a minute, and shows what the run does now, as `top` does.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from goldsplit.model.recording import (
    Frame,
    ProcessRecord,
    Recording,
    Snapshot,
    StackChunk,
)
from goldsplit.store.directory import read_header
from goldsplit.store.json_lines import DAMAGE
from goldsplit.store.reader import take_line
from goldsplit.store.stack_file import StackTables, read_chunk

#: How much of the past is shown.
RECENT_NS = 15_000_000_000
#: Raw windows kept: they explain waiting, and are the dearest part of an analysis.
RAW_WINDOWS = 1
#: Slices of stacks kept; each is some seconds.
STACK_SLICES = 12


class NewLines:
    """Reads whole lines of growing files, each line once."""

    def __init__(self) -> None:
        self.read_until: dict[Path, int] = {}

    def of(self, file: Path) -> list[bytes]:
        """The lines that were not read yet."""
        start = self.read_until.get(file, 0)
        try:
            with file.open("rb") as opened:
                opened.seek(start)
                data = opened.read()
        except OSError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self.read_until[file] = start + len(whole)
        return whole.splitlines()


class RecentRun:
    """Follows one run directory."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        self.new = NewLines()
        self.processes: dict[Path, ProcessRecord] = {}
        self.frames: list[Frame] = []
        self.tables = StackTables(self.frames)
        self.chunks: list[StackChunk] = []

    def look(self) -> Recording:
        """What is known of the last seconds."""
        for file in sorted(self.run_dir.glob("proc-*.jsonl")):
            for text in self.new.of(file):
                self._take_process_line(file, text)
        for text in self.new.of(self.run_dir / "stacks.jsonl"):
            self._take_stacks(text)
        self.chunks = self.chunks[-STACK_SLICES:]
        latest = max((p.snapshots[-1].t_ns for p in self.processes.values() if p.snapshots), default=0)
        for process in self.processes.values():
            forget_old(process, latest - RECENT_NS)
        processes = sorted(self.processes.values(), key=lambda process: process.start_ns)
        return Recording(read_header(self.run_dir), processes, self.frames, list(self.chunks), [])

    def _take_process_line(self, file: Path, text: bytes) -> None:
        try:
            process = take_line(self.processes.get(file), json.loads(text))
        except DAMAGE:
            return  # a torn line; the next snapshot is cumulative
        if process is not None:
            self.processes[file] = process

    def _take_stacks(self, text: bytes) -> None:
        with contextlib.suppress(*DAMAGE):
            self.chunks.append(read_chunk(json.loads(text), self.tables))


def forget_old(process: ProcessRecord, before_ns: int) -> None:
    """Merge old snapshots into one, which holds every node's totals; drop old raw windows."""
    old = [snapshot for snapshot in process.snapshots if snapshot.t_ns < before_ns]
    if len(old) > 1:
        base = Snapshot(old[-1].t_ns, {}, {}, {})
        for snapshot in old:
            base.nodes.update(snapshot.nodes)
            base.counts.update(snapshot.counts)
            base.threads.update(snapshot.threads)
        process.snapshots[: len(old)] = [base]
    starts = sorted({window.start_ns for window in process.raw})[-RAW_WINDOWS:]
    process.raw[:] = [window for window in process.raw if window.start_ns in starts]
