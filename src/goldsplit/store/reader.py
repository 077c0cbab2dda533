"""Read a run directory back into a Recording. A torn or damaged line is counted, never fatal."""

from __future__ import annotations

import gc
import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from goldsplit.model.recording import (
    DeviceSample,
    Frame,
    NodeInfo,
    NodeTotals,
    ProcessRecord,
    ProcessSample,
    RawWindow,
    Recording,
    Snapshot,
    StackChunk,
    StackCount,
    StagedCode,
    SystemSample,
    ThreadInfo,
)
from goldsplit.model.wire import SPAN_BUCKETS_PER_E, Counter, File, Key, Line, Stacks, System
from goldsplit.store import device_rows
from goldsplit.store.checked.figures import MOST, count, real, whole
from goldsplit.store.checked.json_lines import DAMAGE, lines_of
from goldsplit.store.checked.regular_files import LONGEST_LINE, read_regular
from goldsplit.store.deep_rows import read_deep_line, read_watched_line
from goldsplit.store.directory import read_header
from goldsplit.store.lives import number_lives, with_lives
from goldsplit.store.long_runs import thin_out
from goldsplit.store.named_file import mark_named_code, read_named
from goldsplit.store.raw_spans import MOST_IN_PROCESS, from_base64, from_base85, unpack_raw
from goldsplit.store.stack_file import read_stacks
from goldsplit.store.staged_code import mark_staged_code

#: More notes of one kind tell nothing more.
MOST_NOTES = 20
#: Of a span of about a hundred years.
_LAST_BUCKET = SPAN_BUCKETS_PER_E * 43
#: The index of a thread, then the counter's own name.
_COUNTER_NAME = re.compile("[0-9]+:")
_TOO_OLD = re.compile(r"^python ([0-9][\w.+]{0,30}) is too old\b", re.MULTILINE)


def read_run(path: Path) -> Recording:
    """Everything that a run directory holds."""
    with _nothing_is_garbage():
        return _read_run(path)


@contextmanager
def _nothing_is_garbage() -> Iterator[None]:
    """Of a long run millions of objects are made and kept: to search them for cycles takes a third of the
    time, and there are none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read_run(path: Path) -> Recording:
    recording = Recording(run=read_header(path), processes=[], frames=[], chunks=[], system=[])
    recording.folder = str(path.resolve())
    for file in sorted(path.glob(File.PROCESSES)):
        process = read_process(file)
        if process is None:
            recording.damage.append(f"{file.name}: its first line is damaged, so this process is left out")
            continue
        recording.processes.append(process)
        if process.damaged_lines:
            lines = "line" if process.damaged_lines == 1 else "lines"
            recording.damage.append(f"{file.name}: {process.damaged_lines} damaged {lines} skipped")
    recording.processes.sort(key=lambda process: process.start_ns)
    number_lives(recording.processes)
    thin_out(recording.processes)
    read_stacks(path / File.STACKS, recording)
    recording.chunks = with_lives(recording.chunks, recording.processes)
    _add_own_stacks(recording)
    read_named(path / File.NAMED, recording)
    mark_named_code(recording)
    mark_staged_code(recording)
    _read_system(path / File.SYSTEM, recording)
    recording.damage += _too_old(path / File.TOO_OLD)
    return recording


def _too_old(file: Path) -> list[str]:
    """What interpreters that are too old for the recorder left behind: only their versions, because a
    stranger's file may be a link to something else."""
    try:
        text = read_regular(file, LONGEST_LINE).decode(errors="replace")
    except OSError:
        return []
    versions = sorted(set(_TOO_OLD.findall(text)))[:MOST_NOTES]
    return [f"python {version} is too old: goldsplit records 3.11 and later" for version in versions]


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
    if line[Key.KIND] == Line.START:
        argv = tuple(map(str, line[Key.ARGV]))
        pid, parent_pid, start_ns = (whole(line[key]) for key in (Key.PID, Key.PARENT_PID, Key.TIME))
        process = ProcessRecord(pid, parent_pid, start_ns, str(line[Key.PYTHON]), argv)
        process.warm_span_ns = real(line.get(Key.SPAN_NS, 0.0))
    elif process is not None:
        _READERS[line[Key.KIND]](process, line)
    return process


def _read_snapshot(process: ProcessRecord, line: dict[str, Any]) -> None:
    # A long run has millions of such figures; an array refuses what is no whole number or too large, fast.
    for row in line.get(Key.NEW_NODES, ()):
        thread, node, parent = map(int, row[:3])
        stage, detail = map(str, row[3:])
        if not parent < node:  # always so when written; otherwise walking up would never end
            raise ValueError("a node above its parent")
        process.nodes[thread, node] = NodeInfo(thread, parent, stage, detail)
    for row in line[Key.THREADS]:
        if len(row) >= 6:
            process.threads[int(row[0])] = ThreadInfo(int(row[0]), int(row[3]), str(row[4]), int(row[5]))
    process.snapshots.append(
        Snapshot(
            t_ns=whole(line[Key.TIME]),
            nodes={(row[0], row[1]): NodeTotals(*array("q", row[2:7])) for row in line[Key.NODES]},
            counts=_counters(line[Key.COUNTERS]),
            threads={int(row[0]): (whole(row[1]), whole(row[2])) for row in line[Key.THREADS]},
        )
    )
    process.first_step_ns, process.last_step_ns = map(whole, line[Key.STEPS])
    _, process.dropped_lines = map(whole, line.get(Key.LOST, (0, 0)))
    for place, text, number in line.get(Key.FAILED, ()):
        process.failures[str(place), str(text)] = count(number)
    for thread, node, histogram in line.get(Key.HISTOGRAMS, ()):
        process.histograms[thread, node] = _histogram(histogram)
    for thread, histogram in line.get(Key.COSTS, ()):
        process.costs[thread] = _histogram(histogram)


def _counters(row: dict[str, Any]) -> dict[str, float]:
    """Counters by name. One with an absurd value is left out, except a sum of a metric: that is the user's
    own figure, and may be infinite or NaN."""
    return {
        name: float(value)
        for name, value in row.items()
        if _COUNTER_NAME.match(name) and (-MOST < value < MOST or Counter.METRIC_SUM in name)
    }


def _histogram(row: dict[str, Any]) -> dict[int, int]:
    buckets, numbers = list(map(int, row)), array("q", row.values())
    if row and (max(buckets) > _LAST_BUCKET or min(numbers) < 0):
        raise ValueError("no histogram")
    return dict(zip(buckets, numbers, strict=True))


def _read_raw(process: ProcessRecord, line: dict[str, Any]) -> None:
    is_base64 = Key.RAW_SPANS in line
    start_ns = whole(line[Key.TIME])
    for thread, cut, packed in line[Key.RAW_SPANS if is_base64 else Key.RAW_SPANS_BASE85]:
        if start_ns < process.raw_until.get(
            int(thread), start_ns
        ):  # each has all spans of its time: so no two
            raise ValueError("a window inside of another one")
        process.raw_until[int(thread)] = whole(cut)
        spans = unpack_raw(packed, start_ns, from_base64 if is_base64 else from_base85)
        process.single_spans += len(spans)
        if process.single_spans > MOST_IN_PROCESS:
            raise ValueError("too many single spans")
        process.raw.append(RawWindow(start_ns, whole(cut), int(thread), spans))


def _read_own_stacks(process: ProcessRecord, line: dict[str, Any]) -> None:
    rows = [
        (tuple(Frame(str(name), str(file), int(number)) for name, file, number in frames), count(number))
        for frames, number in line[Stacks.STACKS]
    ]
    start_ns, end_ns, rate = (whole(line[key]) for key in (Stacks.START, Stacks.END, Stacks.RATE))
    process.stacks.append((start_ns, end_ns, rate, rows))


def _add_own_stacks(recording: Recording) -> None:
    """Stacks that processes sampled themselves, as chunks like those sampled from outside."""
    numbers: dict[Frame, int] = {}
    for process in recording.processes:
        for start, end, rate, rows in process.stacks:
            stacks = []
            for frames, samples in rows:
                for frame in frames:
                    if frame not in numbers:
                        numbers[frame] = len(recording.frames)
                        recording.frames.append(frame)
                places = tuple(numbers[frame] for frame in frames)
                stack = StackCount(process.pid, process.pid, "MainThread", places, samples, process.life)
                stacks.append(stack)
            total = sum(samples for _, samples in rows)
            recording.chunks.append(StackChunk(start, end, rate, total, 0, 0, 0.0, tuple(stacks)))


def _read_deep(process: ProcessRecord, line: dict[str, Any]) -> None:
    # First the window: it was there, even if what was seen in it cannot be read.
    process.deep_windows.append((whole(line[Key.TIME]), whole(line[Key.END])))
    process.deep = read_deep_line(line)


def _read_watched(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.watched = read_watched_line(line)
    if process.watched.damaged:
        raise ValueError("a damaged row")


def _read_end(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.end_ns, process.exit_code = whole(line[Key.TIME]), line[Key.CODE]


def _read_codes(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.codes += [
        StagedCode(str(line[Key.FILE]), str(name), int(first), int(last), str(stage))
        for name, first, last, stage in line[Key.CODES]
    ]


def _read_pipe(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.pipes.append((int(line[Key.NEAR]), int(line[Key.FAR])))


def _read_note(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.notes.append(str(line[Key.TEXT]))


def _read_child(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.lost_children.setdefault(count(line[Key.PID]), whole(line[Key.CODE]))


def _read_called(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.argv = ("", str(line[Key.TEXT]))


def _read_mapped(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.mapped.add(str(line[Key.TARGET]))


def _read_unmapped(process: ProcessRecord, line: dict[str, Any]) -> None:
    process.unmapped[str(line[Key.TARGET])] = str(line[Key.WHY])


_READERS = {
    Line.SNAPSHOT: _read_snapshot,
    Line.RAW: _read_raw,
    Line.END: _read_end,
    Line.DEEP: _read_deep,
    Line.WATCHED: _read_watched,
    Line.STACKS: _read_own_stacks,
    Line.CODES: _read_codes,
    Line.PIPE: _read_pipe,
    Line.NOTE: _read_note,
    Line.CALLED: _read_called,
    Line.CHILD: _read_child,
    Line.DEVICE: lambda process, line: device_rows.read_marks(process.device, line),
    Line.KERNELS: lambda process, line: device_rows.read_kernels(process.device, line),
    Line.DEVICE_INFO: lambda process, line: device_rows.read_info(process.device, line),
    Line.MAPPED: _read_mapped,
    Line.UNMAPPED: _read_unmapped,
}


def _read_system(file: Path, recording: Recording) -> None:
    for line in lines_of(file):
        try:
            if line is None:
                raise ValueError("not JSON")
            recording.system.append(_system_sample(line))
        except DAMAGE:
            recording.damage.append(f"{file.name}: a damaged line skipped")


def _system_sample(line: dict[str, Any]) -> SystemSample:
    return SystemSample(
        t_ns=whole(line[System.TIME]),
        cpu_percent=real(line[System.CPU]),
        rss_bytes=whole(line[System.RSS]),
        processes={int(pid): _process_sample(row) for pid, row in line[System.PROCESSES].items()},
        gpu=tuple(map(_device_sample, line.get(System.GPU, ()))),
    )


def _process_sample(row: dict[str, Any]) -> ProcessSample:
    files, main = row.get(System.FILES), row.get(System.MAIN_THREAD)
    return ProcessSample(
        cpu_seconds=real(row[System.CPU]),
        rss_bytes=whole(row[System.RSS]),
        files=None if files is None else count(files),
        name=str(row.get(System.NAME) or ""),
        main_thread=None if main is None else (real(main[0]), real(main[1])),
        argv=tuple(map(str, row.get(System.COMMAND) or ())),
    )


def _device_sample(row: dict[str, Any]) -> DeviceSample:
    return DeviceSample(str(row[System.NAME]), real(row[System.UTILISATION]), whole(row[System.MEMORY]))
