"""Read a run directory back into a Recording. A torn or damaged line is counted, never fatal."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goldsplit.model.recording import (
    Frame,
    NodeInfo,
    NodeTotals,
    ProcessRecord,
    RawSpan,
    RawWindow,
    Recording,
    Snapshot,
    StackChunk,
    StackCount,
    SystemSample,
    ThreadInfo,
)
from goldsplit.store.directory import read_header


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
    _read_stacks(path / "stacks.jsonl", recording)
    _read_system(path / "system.jsonl", recording)
    return recording


def lines_of(file: Path) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of a file, None for each line that is not one."""
    try:
        text = file.read_bytes()
    except OSError:
        return
    for line in text.split(b"\n"):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        yield value if isinstance(value, dict) else None


def read_process(file: Path) -> ProcessRecord | None:
    """One process's file; None if not even its first line is whole."""
    process: ProcessRecord | None = None
    damaged = 0
    for line in lines_of(file):
        if line is None:
            damaged += 1
            continue
        try:
            if line["k"] == "start":
                process = ProcessRecord(
                    line["pid"], line["ppid"], line["t"], line["python"], tuple(line["argv"])
                )
                process.warm_span_ns = line.get("span_ns", 0.0)
            elif process is not None:
                _READERS[line["k"]](process, line)
        except (KeyError, TypeError, ValueError, IndexError, zlib.error):
            damaged += 1
    if process is not None:
        process.damaged_lines = damaged
    return process


def _read_snapshot(process: ProcessRecord, line: dict[str, Any]) -> None:
    for thread, node, parent, stage, detail in line.get("d", ()):
        process.nodes[thread, node] = NodeInfo(thread, parent, stage, detail)
    for row in line["th"]:
        if len(row) >= 6:
            process.threads[row[0]] = ThreadInfo(row[0], row[3], row[4], row[5])
    process.snapshots.append(
        Snapshot(
            t_ns=line["t"],
            nodes={(row[0], row[1]): NodeTotals(*row[2:7]) for row in line["n"]},
            counts=dict(line["c"]),
            threads={row[0]: (row[1], row[2]) for row in line["th"]},
        )
    )
    process.first_step_ns, process.last_step_ns = line["steps"]
    process.failed_writes, process.dropped_lines = line.get("lost", (0, 0))
    for thread, node, histogram in line.get("h", ()):
        process.histograms[thread, node] = {int(bucket): count for bucket, count in histogram.items()}
    for thread, histogram in line.get("cost", ()):
        process.costs[thread] = {int(bucket): count for bucket, count in histogram.items()}


def _read_raw(process: ProcessRecord, line: dict[str, Any]) -> None:
    for thread, cut, packed in line["threads"]:
        spans = tuple(unpack_raw(packed, line["t"]))
        process.raw.append(RawWindow(line["t"], cut, thread, spans))


def unpack_raw(packed: str, start_ns: int) -> Iterator[RawSpan]:
    """The inverse of the recorder's `pack_raw`."""
    numbers = list(map(int, zlib.decompress(base64.b85decode(packed)).split(b",")))
    at = start_ns
    for i in range(0, len(numbers), 3):
        at += numbers[i + 1] * 100
        yield RawSpan(numbers[i], at, at + numbers[i + 2] * 100)


def _read_end(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.end_ns, process.exit_code = line["t"], line["code"]


def _read_unmapped(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.unmapped[line["target"]] = line["why"]


_READERS = {
    "w": _read_snapshot,
    "raw": _read_raw,
    "end": _read_end,
    "pipe": lambda process, line: process.pipes.append((line["a"], line["b"])),
    "note": lambda process, line: process.notes.append(line["text"]),
    "mapped": lambda process, line: process.mapped.add(line["target"]),
    "unmapped": _read_unmapped,
}


def _read_stacks(file: Path, recording: Recording) -> None:
    for line in lines_of(file):
        try:
            if line is None:
                raise ValueError("not JSON")
            recording.frames.extend(Frame(*frame) for frame in line["frames"])
            stacks = tuple(StackCount(pid, tid, name, tuple(f), n) for pid, tid, name, f, n in line["stacks"])
            recording.chunks.append(
                StackChunk(
                    line["start"],
                    line["end"],
                    line["rate"],
                    line["samples"],
                    line["failed"],
                    line["late"],
                    line["cpu"],
                    stacks,
                    tuple(tuple(wait) for wait in line["waits"]),
                )
            )
        except (KeyError, TypeError, ValueError):
            recording.damage.append(f"{file.name}: a damaged chunk of stacks skipped")


def _read_system(file: Path, recording: Recording) -> None:
    for line in lines_of(file):
        try:
            if line is None:
                raise ValueError("not JSON")
            processes = {int(pid): figures for pid, figures in line["processes"].items()}
            recording.system.append(
                SystemSample(line["t"], line["cpu"], line["rss"], processes, tuple(line.get("gpu", ())))
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            recording.damage.append(f"{file.name}: a damaged line skipped")
