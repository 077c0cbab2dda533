"""Read a run while it is still being written: each time only the bytes that are new.

Of each process, what is older than some seconds is merged into one snapshot. So the memory that this needs,
and the cost of whatever is computed from it, are the same after an hour as after a minute.
"""

from __future__ import annotations

import copy
import dataclasses
from pathlib import Path
from typing import Any

from goldsplit.model.recording import ProcessRecord, Recording, Snapshot, StackChunk
from goldsplit.model.wire import File, Key, Line
from goldsplit.store.checked.json_lines import DAMAGE, parse_lines
from goldsplit.store.lives import number_lives, with_lives
from goldsplit.store.named_file import mark_named_code, read_named
from goldsplit.store.reader import take_line
from goldsplit.store.stack_file import StackTables, read_chunk
from goldsplit.store.staged_code import mark_staged_code

#: Raw windows kept: they explain waiting, and are the most expensive part of an analysis.
RAW_WINDOWS = 1
#: Chunks of stacks kept; each is some seconds.
STACK_CHUNKS = 12

#: Lines that only a close reading takes in: they are long.
_CLOSE = frozenset({Line.RAW, Line.DEEP, Line.WATCHED})
#: Lines that are never taken in: they would pile up, and nothing here shows them.
_NEVER = frozenset({Line.STACKS})


class NewBytes:
    """Reads growing files, each byte once and whole lines only."""

    def __init__(self) -> None:
        self.read_until: dict[Path, int] = {}

    def of(self, file: Path) -> bytes:
        """The lines that were not read yet."""
        start = self.read_until.get(file, 0)
        try:
            with file.open("rb") as opened:
                opened.seek(start)
                data = opened.read()
        except OSError:
            return b""
        whole = data[: data.rfind(b"\n") + 1]
        self.read_until[file] = start + len(whole)
        return whole


class RunTail:
    """The last seconds of one run directory."""

    def __init__(self, run_dir: Path, keep_ns: int, closely: bool = False) -> None:
        """`closely`: single spans, stacks and the deep look are read, too."""
        self.run_dir = run_dir
        self.keep_ns = keep_ns
        self.closely = closely
        self.left_out = _NEVER if closely else _NEVER | _CLOSE
        self.new = NewBytes()
        self.processes: dict[Path, ProcessRecord] = {}
        self.tables = StackTables([])
        self.chunks: list[StackChunk] = []

    @property
    def has_stacks(self) -> bool:
        return (self.run_dir / File.STACKS).exists()

    def read(self) -> bool:
        """Take in what is new, and forget what is old; whether there was anything new."""
        found = False
        for file in sorted(self.run_dir.glob(File.PROCESSES)):
            for line in parse_lines(self.new.of(file)):
                self._take_process_line(file, line)
                found = True
        if self.closely:
            for line in parse_lines(self.new.of(self.run_dir / File.STACKS)):
                self._take_stacks(line)
                found = True
            self.chunks = self.chunks[-STACK_CHUNKS:]
        before_ns = self._latest_ns() - self.keep_ns
        for process in self.processes.values():
            forget_old(process, before_ns)
        return found

    def recording(self) -> Recording:
        """A copy of what is held, without the run's header: another thread may analyse it."""
        processes = sorted(map(copied, self.processes.values()), key=lambda process: process.start_ns)
        before_ns = self._latest_ns() - self.keep_ns
        for process in processes:
            if process.first_step_ns and process.snapshots[0].t_ns <= before_ns:  # the past is merged in it
                process.first_step_ns = max(process.first_step_ns, process.snapshots[0].t_ns)
        number_lives(processes)
        chunks = with_lives(list(self.chunks), processes)
        recording = Recording({}, processes, list(self.tables.frames), chunks, [])
        if chunks:  # which stage a stack is in depends on which functions are spans, and on others' names
            read_named(self.run_dir / File.NAMED, recording)
            mark_named_code(recording)
            mark_staged_code(recording)
        return recording

    def _latest_ns(self) -> int:
        return max((p.snapshots[-1].t_ns for p in self.processes.values() if p.snapshots), default=0)

    def _take_process_line(self, file: Path, line: dict[str, Any] | None) -> None:
        try:
            if line is None or line[Key.KIND] in self.left_out:
                return
            process = take_line(self.processes.get(file), line)
        except DAMAGE:
            return  # the next snapshot is cumulative
        if process is not None:
            self.processes[file] = process

    def _take_stacks(self, line: dict[str, Any] | None) -> None:
        try:
            if line is not None:
                self.chunks.append(read_chunk(line, self.tables))
        except DAMAGE:
            return


def forget_old(process: ProcessRecord, before_ns: int) -> None:
    """Merge old snapshots into one, which holds every node's totals; drop old raw windows."""
    old = [snapshot for snapshot in process.snapshots if snapshot.t_ns <= before_ns]
    if len(old) > 1:
        base = Snapshot(old[-1].t_ns, {}, {}, {})
        for snapshot in old:
            base.nodes.update(snapshot.nodes)
            base.counts.update(snapshot.counts)
            base.threads.update(snapshot.threads)
        process.snapshots[: len(old)] = [base]
    starts = sorted({window.start_ns for window in process.raw})[-RAW_WINDOWS:]
    process.raw[:] = [window for window in process.raw if window.start_ns in starts]


def copied(process: ProcessRecord) -> ProcessRecord:
    """A process with containers of its own; what is in them is never changed."""
    own = {field.name: copy.copy(getattr(process, field.name)) for field in dataclasses.fields(process)}
    return ProcessRecord(**own)
