"""Read a run directory back into a Recording. A torn or damaged line is counted, never fatal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goldsplit.model.recording import (
    Frame,
    NodeInfo,
    NodeTotals,
    ProcessRecord,
    RawWindow,
    Recording,
    Snapshot,
    StackChunk,
    StackCount,
    StagedCode,
    SystemSample,
    ThreadInfo,
)
from goldsplit.model.wire import Key
from goldsplit.store.directory import read_header
from goldsplit.store.json_lines import DAMAGE, lines_of
from goldsplit.store.raw_spans import from_base64, from_base85, unpack_raw
from goldsplit.store.stack_file import read_stacks
from goldsplit.store.staged_code import mark_staged_code


def read_run(path: Path) -> Recording:
    """Everything that a run directory holds."""
    recording = Recording(run=read_header(path), processes=[], frames=[], chunks=[], system=[])
    for file in sorted(path.glob("proc-*.jsonl")):
        process = read_process(file)
        if process is not None:
            recording.processes.append(process)
            if process.damaged_lines:
                recording.damage.append(f"{file.name}: {process.damaged_lines} damaged lines skipped")
    recording.processes.sort(key=lambda process: process.start_ns)
    _keep_lives_apart(recording.processes)
    read_stacks(path / "stacks.jsonl", recording)
    _add_own_stacks(recording)
    mark_staged_code(recording)
    _read_system(path / "system.jsonl", recording)
    old = path / "too-old.txt"
    if old.is_file():
        recording.damage += sorted(set(old.read_text(errors="replace").splitlines()))
    return recording


def _keep_lives_apart(processes: list[ProcessRecord]) -> None:
    """One process id may have had several lives (exec, or a reused number): earlier ones become negative."""
    latest: dict[int, ProcessRecord] = {}
    lives = 0
    for process in processes:
        before = latest.get(process.pid)
        latest[process.pid] = process
        if before is not None:
            lives += 1
            before.pid = -(before.pid * 1000 + lives)


def read_process(file: Path) -> ProcessRecord | None:
    """One process's file; None if not even its first line is whole."""
    process: ProcessRecord | None = None
    damaged = 0
    for line in lines_of(file):
        try:
            if line is None:
                raise ValueError("not JSON")
            process = take_line(process, line)
        except DAMAGE:
            damaged += 1
    if process is not None:
        process.damaged_lines = damaged
        process.snapshots.sort(key=lambda snapshot: snapshot.t_ns)
    return process


def take_line(process: ProcessRecord | None, line: dict[str, Any]) -> ProcessRecord | None:
    """Add one line to what is known of a process; its first line makes it known."""
    if line["k"] == "start":
        argv = tuple(map(str, line["argv"]))
        process = ProcessRecord(
            int(line["pid"]), int(line["ppid"]), int(line["t"]), str(line["python"]), argv
        )
        process.warm_span_ns = float(line.get("span_ns", 0.0))
    elif process is not None:
        _READERS[line["k"]](process, line)
    return process


def _read_snapshot(process: ProcessRecord, line: dict[str, Any]) -> None:
    for thread, node, parent, stage, detail in line.get("d", ()):
        if not parent < node:  # always so when written; otherwise walking up would never end
            raise ValueError("a node above its parent")
        process.nodes[int(thread), int(node)] = NodeInfo(int(thread), int(parent), str(stage), str(detail))
    for row in line["th"]:
        if len(row) >= 6:
            process.threads[int(row[0])] = ThreadInfo(int(row[0]), int(row[3]), str(row[4]), int(row[5]))
    process.snapshots.append(
        Snapshot(
            t_ns=int(line["t"]),
            nodes={(row[0], row[1]): NodeTotals(*map(int, row[2:7])) for row in line["n"]},
            counts={name: float(value) for name, value in line["c"].items() if ":" in name},
            threads={int(row[0]): (int(row[1]), int(row[2])) for row in line["th"]},
        )
    )
    process.first_step_ns, process.last_step_ns = map(int, line["steps"])
    process.failed_writes, process.dropped_lines = map(int, line.get("lost", (0, 0)))
    for thread, node, histogram in line.get("h", ()):
        process.histograms[thread, node] = {int(bucket): int(count) for bucket, count in histogram.items()}
    for thread, histogram in line.get("cost", ()):
        process.costs[thread] = {int(bucket): int(count) for bucket, count in histogram.items()}


def _read_raw(process: ProcessRecord, line: dict[str, Any]) -> None:
    is_base64 = Key.RAW_SPANS in line
    for thread, cut, packed in line[Key.RAW_SPANS if is_base64 else Key.RAW_SPANS_BASE85]:
        spans = unpack_raw(packed, int(line["t"]), from_base64 if is_base64 else from_base85)
        process.raw.append(RawWindow(int(line["t"]), int(cut), int(thread), spans))


def _read_own_stacks(process: ProcessRecord, line: dict[str, Any]) -> None:
    rows = [
        (tuple(Frame(str(name), str(file), int(number)) for name, file, number in frames), int(count))
        for frames, count in line["stacks"]
    ]
    process.stacks.append((int(line["start"]), int(line["end"]), int(line["rate"]), rows))


def _add_own_stacks(recording: Recording) -> None:
    """Stacks that processes sampled themselves, as chunks like those sampled from outside."""
    numbers: dict[Frame, int] = {}
    for process in recording.processes:
        for start, end, rate, rows in process.stacks:
            stacks = []
            for frames, count in rows:
                for frame in frames:
                    if frame not in numbers:
                        numbers[frame] = len(recording.frames)
                        recording.frames.append(frame)
                places = tuple(numbers[frame] for frame in frames)
                stacks.append(StackCount(process.pid, process.pid, "MainThread", places, count))
            samples = sum(count for _, count in rows)
            recording.chunks.append(StackChunk(start, end, rate, samples, 0, 0, 0.0, tuple(stacks)))


def _read_deep(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.deep_windows.append((int(line["t"]), int(line["end"])))
    process.deep = line


def _read_end(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.end_ns, process.exit_code = int(line["t"]), line["code"]


def _read_codes(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.codes += [
        StagedCode(str(line["file"]), str(name), int(first), int(last), str(stage))
        for name, first, last, stage in line["codes"]
    ]


def _read_unmapped(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.unmapped[str(line["target"])] = str(line["why"])


_READERS = {
    "w": _read_snapshot,
    "raw": _read_raw,
    "end": _read_end,
    "deep": _read_deep,
    "stacks": _read_own_stacks,
    "codes": _read_codes,
    "pipe": lambda process, line: process.pipes.append((int(line["a"]), int(line["b"]))),
    "note": lambda process, line: process.notes.append(str(line["text"])),
    "mapped": lambda process, line: process.mapped.add(str(line["target"])),
    "unmapped": _read_unmapped,
}


def _read_system(file: Path, recording: Recording) -> None:
    for line in lines_of(file):
        try:
            if line is None:
                raise ValueError("not JSON")
            processes = {int(pid): _figures(row) for pid, row in line["processes"].items()}
            gpus = tuple(
                {"name": str(g["name"]), "utilisation": float(g["utilisation"]), "memory": int(g["memory"])}
                for g in line.get("gpu", ())
            )
            sample = SystemSample(int(line["t"]), float(line["cpu"]), int(line["rss"]), processes, gpus)
        except DAMAGE:
            recording.damage.append(f"{file.name}: a damaged line skipped")
            continue
        recording.system.append(sample)


def _figures(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "cpu": float(row["cpu"]), "rss": int(row["rss"])}
