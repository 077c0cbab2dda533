"""Reading a run while it grows: each byte once, and the past merged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goldsplit.analyse.counts.series import Series
from goldsplit.model.recording import FORMAT_VERSION, ProcessId, Recording
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.inside.recorder import pack_raw
from goldsplit.store import tail as tail_module
from goldsplit.store.reader import read_run
from goldsplit.store.tail import RAW_WINDOWS, STACK_CHUNKS, RunTail

SECOND = 1_000_000_000
KEEP = 5 * SECOND
FILE = "proc-7-0.jsonl"


def append(file: Path, *lines: dict[str, Any]) -> None:
    with file.open("a") as opened:
        for line in lines:
            opened.write(json.dumps(line) + "\n")


def start_line(t_ns: int = 0) -> dict[str, Any]:
    return {"k": "start", "t": t_ns, "pid": 7, "ppid": 1, "python": "3.11", "argv": ["python"]}


def snapshot(second: int, **counts: float) -> dict[str, Any]:
    """Node 2 has grown since the last one; node 3 has been there once, in the first second."""
    t_ns = second * SECOND
    rows = [[0, 2, second, t_ns // 2, 0, 0, 0]] + ([[0, 3, 1, 1000, 0, 0, 0]] if second == 1 else [])
    defined = [[0, 0, -1, "", ""], [0, 2, 0, "env.step", ""], [0, 3, 0, "log", ""]] if second == 1 else []
    return {
        "k": "w",
        "t": t_ns,
        "n": rows,
        "c": {"0:own_env_steps": 10 * second, **counts},
        "d": defined,
        "th": [[0, t_ns, 0, 7, "MainThread", 0] if second == 1 else [0, t_ns, 0]],
        "steps": [1, t_ns],
    }


def raw_line(second: int) -> dict[str, Any]:
    t_ns = second * SECOND
    packed = pack_raw(bytearray(RAW_SPAN.pack(2, t_ns, 1000)), t_ns)
    return {"k": "raw", "t": t_ns, "end": t_ns + SECOND, "spans": [[0, t_ns + SECOND, packed]]}


def stacks_line(second: int) -> dict[str, Any]:
    first = second == 1
    return {
        "start": (second - 1) * SECOND,
        "end": second * SECOND,
        "rate": 10,
        "samples": 10,
        "failed": 0,
        "late": 0,
        "cpu": 0.1,
        "base": [0, 0, 0] if first else [1, 1, 1],
        "files": ["/t.py"] if first else [],
        "frames": [["main", 0, 3]] if first else [],
        "branches": [[-1, 0]] if first else [],
        "stacks": [[7, 7, "MainThread", 0, 10]],
        "waits": [],
    }


def write_second(run_dir: Path, second: int) -> None:
    if second == 1:
        append(run_dir / FILE, start_line())
    append(run_dir / FILE, snapshot(second), raw_line(second))
    append(run_dir / "stacks.jsonl", stacks_line(second))


def test_each_byte_is_read_once(tmp_path: Path) -> None:
    tail = RunTail(tmp_path, KEEP)
    assert not tail.read()
    write_second(tmp_path, 1)
    assert tail.read()
    assert tail.new.read_until[tmp_path / FILE] == (tmp_path / FILE).stat().st_size
    assert not tail.read()
    write_second(tmp_path, 2)
    tail.read()
    (process,) = tail.recording().processes
    assert [one.t_ns for one in process.snapshots] == [SECOND, 2 * SECOND]


def test_the_past_is_merged_and_nothing_is_lost_by_that(tmp_path: Path) -> None:
    tail = RunTail(tmp_path, KEEP)
    for second in range(1, 41):
        write_second(tmp_path, second)
        tail.read()
    (process,) = tail.recording().processes
    (tmp_path / "run.json").write_text('{"format_version": 3}')
    (whole,) = read_run(tmp_path).processes
    assert len(whole.snapshots) == 40
    assert [one.t_ns // SECOND for one in process.snapshots] == [35, 36, 37, 38, 39, 40]
    merged, complete = Series(process), Series(whole)
    for t_ns in (35 * SECOND, 40 * SECOND):
        assert merged.node((0, 2), t_ns) == complete.node((0, 2), t_ns)
        assert merged.node((0, 3), t_ns) == complete.node((0, 3), t_ns)
        assert merged.count("0:own_env_steps", t_ns) == complete.count("0:own_env_steps", t_ns)
    assert merged.thread_cpu(0, 35 * SECOND, 40 * SECOND) == (5 * SECOND, 0)
    assert process.first_step_ns == 35 * SECOND, "what is analysed begins here"


def test_a_close_reading_keeps_the_last_single_spans_and_stacks(tmp_path: Path) -> None:
    tail = RunTail(tmp_path, KEEP, closely=True)
    for second in range(1, 41):
        write_second(tmp_path, second)
    assert tail.read()
    recording = tail.recording()
    assert [window.start_ns // SECOND for window in recording.processes[0].raw] == [40] * RAW_WINDOWS
    assert len(recording.chunks) == STACK_CHUNKS
    assert recording.chunks[-1].end_ns == 40 * SECOND
    assert recording.frames[recording.chunks[-1].stacks[0].frames[0]].function == "main"


def test_a_plain_reading_parses_neither_single_spans_nor_stacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("nothing shows this")

    monkeypatch.setattr("goldsplit.store.reader.unpack_raw", refuse)
    monkeypatch.setattr(tail_module, "read_chunk", refuse)
    write_second(tmp_path, 1)
    append(tmp_path / FILE, {"k": "deep", "t": 0, "end": SECOND}, {"k": "stacks"})
    tail = RunTail(tmp_path, KEEP)
    tail.read()
    recording = tail.recording()
    assert (recording.processes[0].raw, recording.processes[0].deep_windows, recording.chunks) == ([], [], [])
    assert tail.has_stacks


@pytest.mark.parametrize("closely", [True, False])
def test_stacks_that_a_process_sampled_itself_do_not_pile_up(tmp_path: Path, closely: bool) -> None:
    append(tmp_path / FILE, start_line(), {"k": "stacks", "start": 0, "end": 1, "rate": 1, "stacks": []})
    tail = RunTail(tmp_path, KEEP, closely)
    tail.read()
    assert tail.recording().processes[0].stacks == []


def test_what_is_damaged_is_skipped(tmp_path: Path) -> None:
    write_second(tmp_path, 1)
    with (tmp_path / FILE).open("ab") as opened:
        opened.write(b'{"k":"w","t":2}\n\n[]\n{"k":[]}\n\xff\xfe\n{"k":"w","t":2')
    append(tmp_path / "stacks.jsonl", {"start": "x"})
    tail = RunTail(tmp_path, KEEP, closely=True)
    tail.read()
    assert len(tail.recording().processes[0].snapshots) == 1
    assert len(tail.recording().chunks) == 1


def test_a_copy_stays_as_it_is_while_reading_goes_on(tmp_path: Path) -> None:
    tail = RunTail(tmp_path, KEEP, closely=True)
    write_second(tmp_path, 1)
    tail.read()
    copy = tail.recording()
    for second in range(2, 30):
        write_second(tmp_path, second)
        tail.read()
    assert [one.t_ns for one in copy.processes[0].snapshots] == [SECOND]
    assert len(copy.chunks) == 1
    assert set(copy.processes[0].nodes) == {(0, 0), (0, 2), (0, 3)}


def test_a_process_that_replaces_itself_has_two_lives(tmp_path: Path) -> None:
    write_second(tmp_path, 1)
    append(tmp_path / "proc-7-2.jsonl", start_line(2 * SECOND), snapshot(3))
    tail = RunTail(tmp_path, KEEP)
    for _ in range(2):
        tail.read()
        assert [process.id for process in tail.recording().processes] == [ProcessId(7, 1), ProcessId(7)]


def test_stacks_are_put_into_stages_as_in_the_whole_run(tmp_path: Path) -> None:
    write_second(tmp_path, 1)
    append(tmp_path / FILE, {"k": "codes", "file": "/t.py", "codes": [["main", 1, 9, "env.step"]]})
    (tmp_path / "run.json").write_text(json.dumps({"format_version": FORMAT_VERSION, "id": "one"}))
    tail = RunTail(tmp_path, KEEP, closely=True)
    tail.read()

    def stacks(recording: Recording) -> list[list[str]]:
        (chunk,) = recording.chunks
        return [[recording.frames[place].function for place in stack.frames] for stack in chunk.stacks]

    assert stacks(tail.recording()) == [["goldsplit:env.step", "main"]] == stacks(read_run(tmp_path))
    assert stacks(tail.recording()) == [["goldsplit:env.step", "main"]], "what is held stays as it is"
