"""py-spy's output folded into counts: slices, frames, what was busy while the main thread waited."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsplit.model.recording import Recording, StackChunk
from goldsplit.record.outside.stack_folding import (
    ChunkResult,
    StackTable,
    cut,
    entry_of,
    fold,
    loop_samples,
    without_inner_imports,
)
from goldsplit.store.directory import write_header
from goldsplit.store.reader import read_run

S = 1_000_000_000
FRAMES = [
    {"name": "process 7", "file": None, "line": None},
    {"name": "<module>", "file": "/home/u/train.py", "line": 1},
    {"name": "Game.step", "file": "/home/u/game.py", "line": 5},
    {"name": "Connection._recv", "file": "/usr/lib/python3.11/multiprocessing/connection.py", "line": 9},
    {"name": "Agent.select_action", "file": "/home/u/train.py", "line": 30},
]


def result(**threads: list[list[int]]) -> ChunkResult:
    names = {
        "main": 'Process 7 Thread 7 "MainThread"',
        "worker": 'Process 8 Thread 8 "MainThread"',
        "ours": 'Process 7 Thread 0x1F "goldsplit-recorder"',
        "pool": 'Process 7 Thread 0x1f "Pool-1"',
    }
    profiles = [{"name": names[who], "samples": samples} for who, samples in threads.items()]
    return ChunkResult(
        {"shared": {"frames": FRAMES}, "profiles": profiles}, 10, 2, 1, 0.5, root_pid=7, rate=0
    )


class Folded:
    """Folds chunk after chunk, and reads them back as the reader does."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.table = StackTable()
        self.lines: list[dict[str, Any]] = []
        write_header(place, {"id": "x"})

    def fold(self, chunk: ChunkResult, period: tuple[int, int], rate: int, loop_seen: bool = True) -> Folded:
        self.lines += fold(dataclasses.replace(chunk, rate=rate), period, self.table, loop_seen)
        return self

    def read(self, leave_out: int | None = None) -> Recording:
        kept = [line for place, line in enumerate(self.lines) if place != leave_out]
        (self.place / "stacks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept))
        return read_run(self.place)

    def counts(self, chunk: StackChunk, recording: Recording) -> dict[tuple[int, str], int]:
        """(process, functions outermost first) → how often."""
        found: dict[tuple[int, str], int] = {}
        for stack in chunk.stacks:
            names = ">".join(recording.frames[i].function for i in stack.frames)
            found[stack.pid, names] = found.get((stack.pid, names), 0) + stack.count
        return found


@pytest.fixture
def folded(tmp_path: Path) -> Folded:
    return Folded(tmp_path)


def test_stacks_are_counted_by_thread(folded: Folded) -> None:
    folded.fold(result(main=[[0, 1, 4]] * 6 + [[0, 1]] * 4), (0, 2 * S), 5)
    recording = folded.read()
    (chunk,) = recording.chunks
    assert folded.counts(chunk, recording) == {(7, "<module>>Agent.select_action"): 6, (7, "<module>"): 4}
    assert (chunk.start_ns, chunk.end_ns, chunk.rate_hz, chunk.failed, chunk.late) == (0, 2 * S, 5, 2, 1)
    assert recording.frames[0].file == "/home/u/train.py"
    assert recording.frames[0].line == 1


def test_nothing_is_written_twice(folded: Folded) -> None:
    folded.fold(result(main=[[1, 4]] * 4), (0, S), 4)
    folded.fold(result(main=[[1, 4]] * 2 + [[1, 2]] * 2), (S, 2 * S), 4)
    recording = folded.read()
    assert [frame.function for frame in recording.frames] == ["<module>", "Agent.select_action", "Game.step"]
    assert "Agent.select_action" not in json.dumps(folded.lines[1])
    assert folded.counts(recording.chunks[1], recording) == {
        (7, "<module>>Agent.select_action"): 2,
        (7, "<module>>Game.step"): 2,
    }


def test_a_lost_line_never_counts_for_another_function(folded: Folded) -> None:
    """Later lines refer to frames of an earlier one; without it they are unknown, never others."""
    folded.fold(result(main=[[1, 4]] * 4), (0, S), 4)
    folded.fold(result(main=[[1, 2]] * 4), (S, 2 * S), 4)
    folded.fold(result(main=[[1, 4]] * 4), (2 * S, 3 * S), 4)
    recording = folded.read(leave_out=0)
    named = {name for chunk in recording.chunks for _, name in folded.counts(chunk, recording)}
    assert not [name for name in named if name.endswith("select_action")]
    third = [chunk for chunk in recording.chunks if chunk.start_ns == 2 * S]
    for chunk in third:
        assert not [name for _, name in folded.counts(chunk, recording) if name.endswith("Game.step")]


def test_long_chunks_are_cut_into_slices_that_lose_nothing(folded: Folded) -> None:
    folded.fold(result(main=[[1, 4]] * 100, worker=[[1, 2]] * 37), (0, 10 * S), 10)
    chunks = sorted(folded.read().chunks, key=lambda chunk: chunk.start_ns)
    assert len(chunks) >= 4
    assert (chunks[0].start_ns, chunks[-1].end_ns) == (0, 10 * S)
    assert all(a.end_ns == pytest.approx(b.start_ns, abs=2) for a, b in itertools.pairwise(chunks))
    assert sum(stack.count for chunk in chunks for stack in chunk.stacks) == 137
    assert sum(chunk.failed for chunk in chunks) == 2
    assert sum(chunk.cpu_seconds for chunk in chunks) == pytest.approx(0.5, abs=0.01)
    workers = [chunk for chunk in chunks if any(stack.pid == 8 for stack in chunk.stacks)]
    assert workers[0].start_ns > 0, "a thread that has fewer samples began late"


def test_what_lies_before_the_loop_is_start_up(folded: Folded) -> None:
    folded.fold(result(main=[[1]] * 30 + [[1, 2]] * 10), (0, 4 * S), 10, loop_seen=False)
    chunks = folded.read().chunks
    startup = [stack.count for chunk in chunks if chunk.startup for stack in chunk.stacks]
    rest = [stack.count for chunk in chunks if not chunk.startup for stack in chunk.stacks]
    assert (sum(startup), sum(rest)) == (30, 10)


def test_what_was_busy_while_the_driver_waited(folded: Folded) -> None:
    folded.fold(result(main=[[1, 3]] * 4, worker=[[1, 2]] * 3, pool=[[1, 4]] * 1), (0, S), 4)
    (chunk,) = folded.read().chunks
    weights = {}
    for waiter, busy, weight in chunk.waits:
        assert (chunk.stacks[waiter].pid, chunk.stacks[waiter].thread_name) == (7, "MainThread")
        weights[chunk.stacks[busy].pid, chunk.stacks[busy].thread_name] = weight
    assert weights == {(8, "MainThread"): pytest.approx(2.5), (7, "Pool-1"): pytest.approx(0.5)}


def test_the_recorders_own_threads_and_odd_names_are_left_out(folded: Folded) -> None:
    chunk = result(main=[[1]], ours=[[1]])
    chunk.speedscope["profiles"].append({"name": "something else", "samples": [[1]]})
    (read,) = folded.fold(chunk, (0, S), 1).read().chunks
    assert len(read.stacks) == 1


def test_who_looks_is_left_out_where_the_program_started_it(
    folded: Folded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goldsplit.record.outside.stack_folding.os.getpid", lambda: 8)
    folded.fold(result(main=[[1, 2]] * 10, worker=[[1, 4]] * 10), (0, S), 10)
    assert {stack[0] for line in folded.lines for stack in line["stacks"]} == {7}


def test_an_empty_chunk_is_no_line(folded: Folded) -> None:
    assert folded.fold(result(), (0, S), 1).fold(result(main=[]), (0, S), 1).read().chunks == []


@given(st.lists(st.integers(), max_size=30), st.integers(0, 40), st.integers(0, 40), st.integers(0, 10))
def test_cuts_put_together_are_the_whole(samples: list[Any], one: int, other: int, more: int) -> None:
    ticks = len(samples) + more
    low, high = sorted((min(one, ticks), min(other, ticks)))
    parts = [cut(samples, *borders, ticks) for borders in ((0, low), (low, high), (high, ticks))]
    assert list(itertools.chain(*parts)) == samples


def test_only_samples_of_main_threads_in_the_loop_count(folded: Folded) -> None:
    folded.fold(
        result(main=[[1]] * 30 + [[1, 2]] * 10, worker=[[1, 2]] * 5, pool=[[1]] * 9), (0, 4 * S), 10, False
    )
    assert loop_samples(folded.lines) == {7: 10, 8: 5}


def test_a_process_is_known_by_the_function_that_it_was_started_with() -> None:
    frames = [
        {"name": "<module>", "file": "/home/u/train.py", "line": 1},
        {"name": "BaseProcess.run", "file": "/usr/lib/python3.11/multiprocessing/process.py", "line": 2},
        {"name": "play", "file": "/home/u/play.py", "line": 3},
        {"name": "step", "file": "/home/u/game.py", "line": 4},
    ]

    def entry(*samples: list[int]) -> str:
        profiles = [{"name": 'Thread 7 "MainThread"', "samples": list(samples)}]
        speedscope = {"shared": {"frames": frames}, "profiles": profiles}
        return entry_of(ChunkResult(speedscope, 1, 0, 0, 0.1, root_pid=7, rate=5))

    assert entry([0, 1, 2, 3], [0, 1, 2], [0]) == "play /home/u/play.py"
    assert entry([0, 2, 3]) == "<module> /home/u/train.py", "started by itself"
    assert (entry(), entry([])) == ("", "")


def test_nested_imports_are_one_frame_each() -> None:
    importing = [False, True, True, True, False]
    assert without_inner_imports((0, 1, 2, 3, 4, 1, 2), importing) == (0, 3, 4, 2)
    assert without_inner_imports((0, 4, 0), importing) == (0, 4, 0)
    assert without_inner_imports((), importing) == ()
