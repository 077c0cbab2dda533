"""Reading runs back, whole and damaged: a bad line is counted, never an exception, never a hang."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from goldsplit.analyse.detail import explain_closely, look_closer
from goldsplit.analyse.profile import analyse
from goldsplit.model.deep_files.deep_record import CallTotals
from goldsplit.model.finding import Place
from goldsplit.model.wire import ALL, STEP
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.inside.recorder import pack_raw
from goldsplit.record.outside.stack_folding import ChunkResult, StackTable, fold
from goldsplit.store.directory import write_header
from goldsplit.store.reader import read_process, read_run

SECOND = 1_000_000_000
HEADER = {"id": "r", "name": "r", "command": ["python", "t.py"], "status": "complete", "start_ns": 0,
          "end_ns": 6 * SECOND, "environment": {"cores": 2}}  # fmt: skip


def deep_line(**changed: Any) -> dict[str, Any]:
    """Ten segments that ended with a step, seen by bursts that see all."""
    function = {
        "at": ["/t.py", 8, "Game.step"],
        "kind": "method",
        "stage": "env.step",
        "chosen": False,
        "booked": [[[20, 1000, 2000, 3, 4], [0, 0, 0, 0, 0]], [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]],
        "compared": {"calls": 20, "ns": 900, "repeats": 5, "in_step": 1, "differing": 0, "repeat_ns": 200,
                     "distinct": 15, "results": 1, "result": "1", "mutated": 0, "by_identity": False},
    }  # fmt: skip
    cache = {"at": ["/t.py", 4, "sight"], "kind": "dict", "stage": "env.step", "hits": 3, "misses": 2,
             "clears": 0, "entries": 2, "hit_ns": 30, "miss_ns": 90, "repeated": 0}  # fmt: skip
    site = {"at": ["/t.py", 9, "Game.step.<locals>.<listcomp>"], "kind": "text", "callee": "eval",
            "stage": "env.step", "booked": [[7, 70, 0], [0, 0, 0]], "compared": 7, "distinct": 1,
            "amount": 14.0, "amounts": 7, "detail": "'1'", "only_all": True}  # fmt: skip
    return {
        "k": "deep",
        "t": 3 * SECOND,
        "end": 4 * SECOND,
        "windows": 1,
        "spent": 100,
        "beats": [100, 0],
        "segments": [[10.0, 0.0], [0.0, 0.0]],
        "seen": [[10_000, 0], [0, 0]],
        "steps": [10.0, 0.0],
        "events": [[40, 0], [0, 0]],
        "event_ns": 20,
        "functions": [function],
        "caches": [cache],
        "sites": [site],
    } | changed


def process_lines() -> list[dict[str, Any]]:
    """A small but complete process: start-up, stepping, a raw window, an end."""
    start = {
        "k": "start",
        "t": 0,
        "pid": 7,
        "ppid": 1,
        "python": "3.11.7",
        "argv": ["python", "t.py"],
        "span_ns": 500.0,
    }
    lines: list[dict[str, Any]] = [start]
    for tick in range(1, 6):
        t = tick * SECOND
        lines.append(
            {
                "k": "w",
                "t": t,
                "n": [[0, 2, tick * 10, tick * SECOND // 2, 1, 400, 500], [0, 3, tick, tick * 1000, 0, 0, 0]],
                "c": {"0:own_env_steps": tick * 10, "0:own_episodes": tick},
                "d": [[0, 2, 0, "env.step", ""], [0, 3, 2, "env.opponent", ""]] if tick == 1 else [],
                "th": [[0, tick * 900, 5, 7, "MainThread", 0] if tick == 1 else [0, tick * 900, 5]],
                "steps": [SECOND, t],
                "h": [[0, 2, {"100": tick}]],
                "cost": [[0, {"40": 2}]],
                "failed": [["a span", "KeyError: 'x'", tick]],
            }
        )
    raw = pack_raw(
        bytearray(RAW_SPAN.pack(2, 2 * SECOND, 1000) + RAW_SPAN.pack(3, 2 * SECOND + 100, 300)), 2 * SECOND
    )
    lines.append(
        {"k": "raw", "t": 2 * SECOND, "end": 2 * SECOND + 5000, "spans": [[0, 2 * SECOND + 5000, raw]]}
    )
    lines.append(deep_line())
    lines += [{"k": "note", "text": "odd"}, {"k": "pipe", "a": 1, "b": 2}, {"k": "mapped", "target": "a:b"}]
    lines.append({"k": "end", "t": 6 * SECOND, "code": 0})
    return lines


SPEEDSCOPE = {
    "shared": {
        "frames": [
            {"name": "main", "file": "/t.py", "line": 3},
            {"name": "Game.step", "file": "/t.py", "line": 9},
        ]
    },
    "profiles": [{"name": 'Process 7 Thread 7 "MainThread"', "samples": [[0, 1]] * 40}],
}
(STACKS,) = fold(ChunkResult(SPEEDSCOPE, 40, 0, 0, 0.01, 7, 20), (SECOND, 3 * SECOND), StackTable(), True)
SYSTEM_ROW = {"cpu": 1.0, "rss": 1000, "threads": 1, "main": [0.5, 0.25]}
SYSTEM = {"t": SECOND, "cpu": 50.0, "rss": 1000, "processes": {"7": SYSTEM_ROW}}


def text(lines: list[Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def write_run(path: Path, process: bytes, stacks: bytes | None = None, system: bytes | None = None) -> Path:
    path.mkdir(exist_ok=True)
    write_header(path, dict(HEADER))
    (path / "proc-7-1.jsonl").write_bytes(process)
    (path / "stacks.jsonl").write_bytes(text([STACKS]) if stacks is None else stacks)
    (path / "system.jsonl").write_bytes(text([SYSTEM]) if system is None else system)
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run")


def test_a_window_of_single_spans_is_read_once(place: Path) -> None:
    """Twice the same time would be twice the work for whoever walks through the spans of a window."""
    lines = process_lines()
    again = [line for line in lines if line["k"] == "raw"] * 300
    (process,) = read_run(write_run(place, text([*lines[:-1], *again, lines[-1]]))).processes
    assert len(process.raw) == 1
    assert process.damaged_lines == 300
    assert process.exit_code == 0


def test_a_whole_run_is_read_whole(place: Path) -> None:
    recording = read_run(write_run(place, text(process_lines())))
    (process,) = recording.processes
    assert recording.damage == []
    assert (process.pid, process.ppid, process.exit_code, process.end_ns) == (7, 1, 0, 6 * SECOND)
    assert len(process.snapshots) == 5
    assert process.nodes[0, 3].parent == 2
    assert process.snapshots[-1].nodes[0, 2].count == 50
    assert [(s.node, s.start_ns, s.end_ns) for s in process.raw[0].spans] == [
        (2, 2 * SECOND, 2 * SECOND + 1000),
        (3, 2 * SECOND + 100, 2 * SECOND + 400),
    ]
    assert process.notes == ["odd"]
    assert recording.chunks[0].stacks[0].count == 40
    assert recording.system[0].processes[7].rss_bytes == 1000
    assert recording.system[0].processes[7].main_thread == (0.5, 0.25)
    assert process.deep is not None
    assert process.deep_windows == [(3 * SECOND, 4 * SECOND)]
    assert process.deep.functions[0].totals[ALL][STEP] == CallTotals(20, 1000, 2000, 3, 4)
    assert process.deep.lines[0].place == Place("/t.py", 9, "Game.step")
    profile = analyse(recording)
    assert profile.throughput.env_steps == 50
    assert profile.throughput.episodes == 5


def test_every_truncation_is_readable(place: Path) -> None:
    """A kill can end the file at any byte."""
    whole = text(process_lines())
    for length in range(0, len(whole), 7):
        recording = read_run(write_run(place, whole[:length]))
        profile = analyse(recording)
        assert (profile.throughput.env_steps or 0) <= 50
        damaged = sum(process.damaged_lines for process in recording.processes)
        assert damaged <= 1


def test_a_torn_line_in_the_middle_costs_only_itself(place: Path) -> None:
    lines = text(process_lines()).split(b"\n")
    lines[3] = lines[3][: len(lines[3]) // 2]
    recording = read_run(write_run(place, b"\n".join(lines)))
    assert recording.processes[0].damaged_lines == 1
    assert len(recording.processes[0].snapshots) == 4
    assert recording.damage == ["proc-7-1.jsonl: 1 damaged line skipped"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(process=st.binary(max_size=300), stacks=st.binary(max_size=200), system=st.binary(max_size=200))
def test_random_bytes_never_raise(place: Path, process: bytes, stacks: bytes, system: bytes) -> None:
    analyse(read_run(write_run(place, process, stacks, system)))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32))
@example(1670053)  # a count that goes back
def test_flipped_bytes_never_raise(place: Path, seed: int) -> None:
    """Some bytes changed anywhere: digits, keys, quotes. What is left is analysed without an exception."""
    rng = random.Random(seed)
    data = bytearray(text(process_lines()))
    for _ in range(rng.randint(1, 6)):
        data[rng.randrange(len(data))] = rng.choice(b'0123456789-{}[]",:exk \x00\xff')
    stacks = bytearray(text([STACKS]))
    stacks[rng.randrange(len(stacks))] = rng.choice(b'0123456789-{}[]",:')
    check(read_run(write_run(place, bytes(data), bytes(stacks))))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**12)
    | st.sampled_from([10**19, -(10**19), 10**400])
    | st.floats()
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_lines_of_the_wrong_types_never_raise(place: Path, data: st.DataObject) -> None:
    lines = process_lines()
    line = data.draw(st.sampled_from(lines))
    key = data.draw(st.sampled_from(sorted(line)))
    line[key] = data.draw(json_values)
    stacks, system = dict(STACKS), dict(SYSTEM)
    stacks[data.draw(st.sampled_from(sorted(stacks)))] = data.draw(json_values)
    system[data.draw(st.sampled_from(sorted(system)))] = data.draw(json_values)
    check(read_run(write_run(place, text(lines), text([stacks]), text([system]))))


def check(recording: Any) -> None:
    profile = analyse(recording)
    shares = [row.wall_share for row in profile.stages]
    assert all(0.0 <= share <= 1.0 for share in shares)


def test_a_node_that_is_its_own_ancestor_does_not_hang(place: Path) -> None:
    lines = process_lines()
    lines[1]["d"] = [[0, 2, 3, "env.step", ""], [0, 3, 2, "env.opponent", ""]]
    recording = read_run(write_run(place, text(lines)))
    assert recording.processes[0].damaged_lines >= 1
    for (thread, node), info in recording.processes[0].nodes.items():
        assert info.parent < node, f"thread {thread}"


@pytest.mark.parametrize(
    "node", [[0, 0.5, 0, "env.step", ""], [0, 2, 2.5, "env.step", ""], [0, 2, 0, "env.step"]]
)
def test_a_malformed_node_costs_its_line(place: Path, node: list[Any]) -> None:
    lines = process_lines()
    lines[2]["d"] = [node]
    recording = read_run(write_run(place, text(lines)))
    assert recording.processes[0].damaged_lines == 1
    check(recording)


@pytest.mark.parametrize("attached", [False, True])
def test_a_stack_that_was_never_seen_counts_for_nothing(place: Path, attached: bool) -> None:
    unseen = [[*row[:4], 0] for row in STACKS["stacks"]]
    lines = [] if attached else process_lines()
    recording = read_run(write_run(place, text(lines), text([STACKS | {"stacks": unseen, "waits": []}])))
    check(recording)
    assert look_closer(recording).stacks == []


@pytest.mark.parametrize("histogram", [{"99999": 1}, {"100": -1}, {"100": 10**400}, {"x": 1}, [1]])
def test_a_malformed_histogram_costs_its_line(place: Path, histogram: Any) -> None:
    for key, row in (("h", [0, 2, histogram]), ("cost", [0, histogram])):
        lines = process_lines()
        lines[5][key] = [row]
        recording = read_run(write_run(place, text(lines)))
        assert recording.processes[0].damaged_lines == 1
        check(recording)


def test_counters_without_a_thread_are_left_out(place: Path) -> None:
    lines = process_lines()
    lines[5]["c"] |= {"7": 3, "x:own_env_steps": 5, "0:fact_n:torn": 1}
    recording = read_run(write_run(place, text(lines)))
    assert set(recording.processes[0].snapshots[-1].counts) == {
        "0:own_env_steps", "0:own_episodes", "0:fact_n:torn"
    }  # fmt: skip
    assert analyse(recording).facts == []


def test_nested_brackets_without_end(place: Path) -> None:
    recording = read_run(write_run(place, text(process_lines()[:3]) + b"[" * 100_000))
    assert recording.processes[0].damaged_lines == 1


def test_a_file_without_its_first_line_is_no_process(tmp_path: Path) -> None:
    (tmp_path / "proc-1-1.jsonl").write_bytes(text(process_lines()[1:]))
    assert read_process(tmp_path / "proc-1-1.jsonl") is None


def test_a_run_of_no_files_is_an_empty_recording(tmp_path: Path) -> None:
    write_header(tmp_path, {"id": "empty"})
    recording = read_run(tmp_path)
    assert (recording.processes, recording.chunks, recording.system, recording.damage) == ([], [], [], [])
    profile = analyse(recording)
    assert profile.throughput.env_steps is None
    assert profile.trust.notes


@pytest.mark.parametrize("absurd", [10**400, -(10**400), 1e308, float("inf"), float("nan")])
@pytest.mark.parametrize("key", ["rate", "samples", "cpu", "start", "end"])
def test_absurd_figures_of_stacks_cost_their_chunk(place: Path, key: str, absurd: float) -> None:
    recording = read_run(write_run(place, text(process_lines()), text([STACKS | {key: absurd}, STACKS])))
    assert recording.damage[0] == "stacks.jsonl: a damaged chunk of stacks skipped"
    check(recording)


@pytest.mark.parametrize("absurd", [10**400, 10**19, 1e308, float("inf"), float("nan")])
def test_absurd_figures_of_a_process_cost_their_line(place: Path, absurd: float) -> None:
    for number, line in enumerate(process_lines()):
        for key in ("t", "n", "steps", "code"):
            if key not in line:
                continue
            lines = process_lines()
            lines[number][key] = {"t": absurd, "n": [[0, 2, absurd]], "steps": [1, absurd]}.get(key, absurd)
            check(read_run(write_run(place, text(lines))))


def test_an_absurd_counter_costs_only_itself(place: Path) -> None:
    """The sum of a metric may be anything: a loss becomes infinite. A number of steps does not."""
    lines = process_lines()
    lines[5]["c"] |= {
        "0:user:env_steps": float("inf"),
        "0:metric_sum:loss": float("nan"),
        "0:metric_n:loss": 1,
    }
    recording = read_run(write_run(place, text(lines)))
    assert recording.damage == []
    assert set(recording.processes[0].snapshots[-1].counts) == {
        "0:own_env_steps", "0:own_episodes", "0:metric_sum:loss", "0:metric_n:loss"
    }  # fmt: skip
    assert analyse(recording).throughput.env_steps == 50


MALFORMED = {
    "functions": [None, [None], [{}], [{"at": ["/t.py", 8, "f"]}], 5, {"a": 1}],
    "sites": [[7], [{"kind": "text"}]],
    "caches": [[[]], "x"],
    "segments": [[[1e-300, 0], [0, 0]], [[1, 1]], [[-1, 0], [0, 0]], None],
    "beats": [[1], [1, 2, 3], ["a", "b"]],
    "event_ns": [None, "fast"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key in MALFORMED for value in MALFORMED[key]])
def test_a_malformed_line_of_the_deep_look_costs_itself_and_a_note(place: Path, key: str, value: Any) -> None:
    lines = process_lines()
    lines.append(deep_line(t=4 * SECOND, end=5 * SECOND, **{key: value}))
    recording = read_run(write_run(place, text(lines)))
    (process,) = recording.processes
    assert recording.damage == ["proc-7-1.jsonl: 1 damaged line skipped"]
    assert process.deep is not None, "the line before still counts"
    assert process.deep.end_ns == 4 * SECOND
    assert len(process.deep_windows) == 2, "the program was slower there, whatever was seen"
    profile = analyse(recording)
    assert profile.deep is not None
    assert recording.damage[0] in profile.trust.notes


def later_life(seconds: int) -> bytes:
    """The same process again, so many seconds later."""
    lines = [line for line in process_lines() if line["k"] not in ("raw", "deep")]
    for line in lines:
        if "t" in line:
            line["t"] += seconds * SECOND
        if "steps" in line:
            line["steps"] = [(seconds + 1) * SECOND, line["t"]]
    return text(lines)


def test_two_lives_of_one_process_id(tmp_path: Path) -> None:
    """exec keeps the id, and ids are used again: neither life hides the other."""
    chunks = [STACKS | {"start": at * SECOND, "end": (at + 1) * SECOND} for at in (1, 11, 13)]
    for chunk in chunks[1:]:
        chunk |= {"base": [1, 2, 2], "files": [], "frames": [], "branches": []}
    write_run(tmp_path, text(process_lines()[:-1]), stacks=text(chunks))
    (tmp_path / "proc-7-10.jsonl").write_bytes(later_life(10))
    recording = read_run(tmp_path)
    assert recording.damage == []
    assert [(process.id, str(process.id)) for process in recording.processes] == [
        ((7, 1), "7 (earlier life)"),
        ((7, 0), "7"),
    ]
    assert [chunk.stacks[0].thread for chunk in recording.chunks] == [
        ((7, 1), 7),
        ((7, 0), 7),
        ((7, 0), 7),
    ], "a stack is of the life that had begun"
    profile, detail = explain_closely(recording, single_spans=True)
    assert profile.throughput.env_steps == 100
    assert sum(row.wall_share for row in profile.stages) + profile.unattributed.wall_share == pytest.approx(
        1.0
    )
    assert {lane.pid for lane in profile.lanes} == {thread.pid for thread in detail.threads} == {7}
    assert len(detail.threads) == 2, "the main threads of both lives"
    assert "process 7 (earlier life) ended without saying so (killed?)" in profile.trust.notes


def test_three_lives_and_stacks_that_a_process_sampled_itself(tmp_path: Path) -> None:
    own = {
        "k": "stacks",
        "start": SECOND,
        "end": 2 * SECOND,
        "rate": 10,
        "stacks": [[[["f", "/t.py", 3]], 10]],
    }
    write_run(tmp_path, text([*process_lines(), own]), stacks=b"")
    (tmp_path / "proc-7-10.jsonl").write_bytes(later_life(10))
    (tmp_path / "proc-7-20.jsonl").write_bytes(later_life(20))
    recording = read_run(tmp_path)
    assert [process.life for process in recording.processes] == [2, 1, 0]
    (chunk,) = recording.chunks
    assert chunk.stacks[0].thread.process == (7, 2)


def test_of_what_an_older_python_left_only_its_version_is_told(tmp_path: Path) -> None:
    """The file may be a link to a secret of whoever reads the run."""
    write_header(tmp_path, dict(HEADER))
    (tmp_path / "secret").write_text("password\npython 3.9.2+ is too old: and more\npython x is too old\n")
    (tmp_path / "too-old.txt").symlink_to(tmp_path / "secret")
    assert read_run(tmp_path).damage == ["python 3.9.2+ is too old: goldsplit records 3.11 and later"]
