"""Snapshots and raw windows, from the engine to lines and back through the reader."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsplit.model.recording import ProcessRecord
from goldsplit.record.inside import recorder as recorder_module
from goldsplit.record.inside.core import leave_as
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock
from goldsplit.record.inside.recorder import Recorder, open_nodes, pack_raw, thread_cpu
from goldsplit.store.raw_spans import unpack_raw
from goldsplit.store.reader import read_process

small = st.integers(0, 10**9)
spans = st.lists(st.tuples(st.integers(0, 300), st.integers(-(10**9), 10**9), small), min_size=1, max_size=60)


@given(spans, st.integers(10**10, 10**15))
def test_packed_spans_come_back_to_a_tenth_of_a_microsecond(
    raw: list[tuple[int, int, int]], start: int
) -> None:
    absolute = [(node, start + offset, length) for node, offset, length in raw]
    back = list(
        unpack_raw(pack_raw(bytearray(b"".join(RAW_SPAN.pack(*span) for span in absolute)), start), start)
    )
    for (node, begin, length), found in zip(sorted(absolute, key=lambda s: s[1]), back, strict=True):
        assert found.node == node
        assert 0 <= begin - found.start_ns < 100
        assert 0 <= length - (found.end_ns - found.start_ns) < 100


@pytest.fixture
def recorder(state: ThreadState, tmp_path: Path) -> Iterator[Recorder]:
    """A recorder that writes only when it is told to."""
    one = Recorder(str(tmp_path), 0)
    one.announce()
    ENGINE.on_new_thread = None
    yield one
    one.finished = True


def read_back(recorder: Recorder) -> ProcessRecord:
    process = read_process(Path(recorder.writer.path))
    assert process is not None
    assert process.damaged_lines == 0
    return process


def lines(recorder: Recorder) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(recorder.writer.path).read_text().splitlines()]


def total(process: ProcessRecord, stage: str) -> tuple[int, int]:
    """Count and nanoseconds of a stage as last written."""
    last: dict[Any, Any] = {}
    for snapshot in process.snapshots:
        last |= snapshot.nodes
    keys = [key for key, info in process.nodes.items() if info.stage == stage]
    return sum(last[k].count for k in keys if k in last), sum(last[k].total_ns for k in keys if k in last)


def test_a_snapshot_holds_what_the_engine_knows(recorder: Recorder, state: ThreadState) -> None:
    for _ in range(3):
        state.leave(state.enter("env.step"))
    state.counts["own_env_steps"] = 3
    ENGINE.first_step_ns, ENGINE.last_step_ns = 5, 9
    recorder.flush(last=True)
    process = read_back(recorder)
    assert total(process, "env.step")[0] == 3
    assert process.snapshots[-1].counts[f"{state.index}:own_env_steps"] == 3
    assert (process.first_step_ns, process.last_step_ns) == (5, 9)
    assert process.threads[state.index].native_id == threading.get_native_id()
    assert sum(sum(h.values()) for h in process.histograms.values()) == 3


def test_a_second_snapshot_writes_only_what_changed(recorder: Recorder, state: ThreadState) -> None:
    state.leave(state.enter("env.step"))
    state.leave(state.enter("act"))
    recorder.flush()
    state.leave(state.enter("act"))
    recorder.flush()
    first, second = (line for line in lines(recorder) if line["k"] == "w")
    assert len(first["n"]) > len(second["n"]) == 1
    assert "d" in first
    assert "d" not in second
    assert total(read_back(recorder), "act")[0] == 2


def test_an_open_span_is_counted_up_to_now_but_not_as_a_call(recorder: Recorder, state: ThreadState) -> None:
    node = state.enter("eval")
    recorder.flush()
    calls, so_far = total(read_back(recorder), "eval")
    assert calls == 0
    assert so_far > 0
    assert open_nodes(state, node.t0 + 70) == {node.id: 70}


def test_totals_never_fall_when_it_becomes_known_what_ended_a_wait(
    recorder: Recorder, state: ThreadState
) -> None:
    """A snapshot sees an open wait, which then goes to the node of its cause: no total may fall."""
    waiting = state.enter("wait")
    recorder.flush()
    leave_as(waiting, "t:1")
    recorder.flush()
    process = read_back(recorder)
    by_node: dict[Any, list[int]] = {}
    for snapshot in process.snapshots:
        for key, totals in snapshot.nodes.items():
            by_node.setdefault(key, []).append(totals.total_ns)
    for key, values in by_node.items():
        assert values == sorted(values), f"{process.nodes[key]} went back: {values}"


def test_a_thread_that_ends_during_a_snapshot_loses_nothing(
    recorder: Recorder, state: ThreadState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread works on after its counters were copied, and ends before the snapshot is finished."""
    started, go = threading.Event(), threading.Event()

    def work() -> None:
        mine = ENGINE.state()
        mine.leave(mine.enter("env.step"))
        started.set()
        go.wait(10)
        mine.leave(mine.enter("env.step"))
        mine.counts["own_env_steps"] = 2

    thread = threading.Thread(target=work)
    thread.start()
    started.wait(10)

    def ends_meanwhile(pid: int, native_id: int) -> tuple[int, int]:
        go.set()
        thread.join()
        return 0, 0

    monkeypatch.setattr(recorder_module, "thread_cpu", ends_meanwhile)
    recorder.flush()
    monkeypatch.undo()
    recorder.flush(last=True)
    process = read_back(recorder)
    assert total(process, "env.step")[0] == 2
    counts: dict[str, float] = {}
    for snapshot in process.snapshots:
        counts |= snapshot.counts
    assert 2 in counts.values()


def test_a_counter_is_written_when_it_changes_and_at_the_end(recorder: Recorder, state: ThreadState) -> None:
    name = f"{state.index}:own_env_steps"
    for steps in (1, 1, 2):
        state.counts["own_env_steps"] = steps
        recorder.flush()
    recorder.flush(last=True)
    written = [line["c"].get(name) for line in lines(recorder) if line["k"] == "w"]
    assert written == [1, None, 2, 2]


def test_staged_code_is_written_by_file(recorder: Recorder, state: ThreadState) -> None:
    for file, name in (("a.py", "f"), ("b.py", "g"), ("a.py", "h")):
        event = {"k": "codes", "file": file, "codes": [[name, 1, 2, "act"]]}
        ENGINE.events.append(event)
    recorder.flush()
    assert sum(line["k"] == "codes" for line in lines(recorder)) == 2
    codes = read_back(recorder).codes
    assert [(code.file, code.name) for code in codes] == [("a.py", "f"), ("a.py", "h"), ("b.py", "g")]


def test_dead_threads_are_forgotten_after_their_last_line(recorder: Recorder, state: ThreadState) -> None:
    for _ in range(20):
        thread = threading.Thread(target=lambda: ENGINE.state().counts.update(x=1))
        thread.start()
        thread.join()
    for _ in range(3):
        recorder.flush()
    assert ENGINE.threads == [state]
    assert len(read_back(recorder).threads) == 21


def test_a_raw_window_comes_back_whole(recorder: Recorder, state: ThreadState) -> None:
    outer = state.enter("rollout")
    recorder.begin_raw_window(clock() + 10**9)
    for _ in range(5):
        state.leave(state.enter("env.step"))
    recorder.end_raw_window()
    process = read_back(recorder)
    (window,) = process.raw
    assert window.thread == state.index
    assert len(window.spans) == 6, "five steps and the rollout that is still open"
    stages = [process.nodes[window.thread, span.node].stage for span in window.spans]
    assert sorted(stages) == ["env.step"] * 5 + ["rollout"]
    assert all(window.start_ns - 100 <= s.start_ns <= s.end_ns <= window.end_ns + 100 for s in window.spans
               if s.node != outer.id)  # fmt: skip
    assert state.raw is None
    assert not ENGINE.raw_on


def test_a_thread_born_in_a_raw_window_belongs_to_it(recorder: Recorder, state: ThreadState) -> None:
    recorder.begin_raw_window(clock() + 10**9)

    def work() -> None:
        mine = ENGINE.state()
        mine.leave(mine.enter("env.step"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    recorder.end_raw_window()
    assert [len(window.spans) for window in read_back(recorder).raw] == [1]


def test_tick_opens_and_closes_windows_and_takes_snapshots(recorder: Recorder, state: ThreadState) -> None:
    begun = recorder.run_start_ns
    state.leave(state.enter("act"))
    recorder.tick(now=begun + 100_000_000, due=begun + 250_000_000)
    assert ENGINE.raw_on
    state.leave(state.enter("act"))
    recorder.tick(now=begun + 260_000_000, due=begun + 250_000_000)
    recorder.tick(now=begun + 1_010_000_000, due=begun + 1_250_000_000)
    assert ENGINE.raw_on, "early windows follow each other"
    kinds = [line["k"] for line in lines(recorder)]
    assert kinds.count("raw") == 1
    assert kinds.count("w") == 2


def test_finish_writes_once(recorder: Recorder, state: ThreadState) -> None:
    state.leave(state.enter("act"))
    recorder.finish(3)
    recorder.finish(4)
    process = read_back(recorder)
    assert process.exit_code == 3
    assert process.end_ns is not None
    assert total(process, "act")[0] == 1


def test_events_are_written_before_the_snapshot(recorder: Recorder, state: ThreadState) -> None:
    ENGINE.events += [
        {"k": "note", "text": "odd"},
        {"k": "pipe", "a": 1, "b": 2},
        {"k": "mapped", "target": "a:b"},
    ]
    recorder.flush()
    process = read_back(recorder)
    assert process.notes == ["odd"]
    assert process.pipes == [(1, 2)]
    assert process.mapped == {"a:b"}
    assert ENGINE.events == []


def test_lost_lines_are_told(recorder: Recorder, state: ThreadState) -> None:
    recorder.writer.failed_writes, recorder.writer.dropped_lines = 4, 2
    recorder.flush()
    process = read_back(recorder)
    assert process.dropped_lines == 2


def test_failures_of_our_own_are_told(recorder: Recorder, state: ThreadState) -> None:
    ENGINE.failures["a span", "KeyError"] = ("KeyError: 'x'", 2)
    recorder.flush()
    ENGINE.failures["a span", "KeyError"] = ("KeyError: 'x'", 3)
    recorder.flush()
    assert read_back(recorder).failures == {("a span", "KeyError: 'x'"): 3}


def test_a_snapshot_that_fails_is_told_and_the_next_one_is_taken(
    recorder: Recorder, state: ThreadState, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise OSError("no figures")

    with monkeypatch.context() as patched:
        patched.setattr(recorder, "snapshot", fails)
        recorder.finish(0)
    recorder.flush()
    assert list(read_back(recorder).failures.values()) == [1]


def test_thread_cpu_of_this_thread_and_of_one_that_does_not_exist() -> None:
    import os

    cpu, _ = thread_cpu(os.getpid(), threading.get_native_id())
    assert cpu > 0
    assert thread_cpu(os.getpid(), 999_999_999) == (0, 0)


def test_the_last_snapshot_is_the_last_line_even_if_another_is_being_taken(
    recorder: Recorder, state: ThreadState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends while the snapshot thread is in the middle of a snapshot (it waits for a file)."""
    state.counts["own_env_steps"] = 1
    ending = threading.Thread(target=recorder.finish, args=(0,))

    def the_process_ends_meanwhile(pid: int, native_id: int) -> tuple[int, int]:
        if threading.current_thread() is threading.main_thread() and not ending.ident:
            state.counts["own_env_steps"] = 2
            ending.start()
            ending.join(timeout=0.3)  # it may have to wait for us
        return 0, 0

    monkeypatch.setattr(recorder_module, "thread_cpu", the_process_ends_meanwhile)
    recorder.flush()
    ending.join()
    process = read_back(recorder)
    assert process.exit_code == 0, "the end is written"
    assert [snapshot.t_ns for snapshot in process.snapshots] == sorted(s.t_ns for s in process.snapshots)
    assert process.snapshots[-1].counts[f"{state.index}:own_env_steps"] == 2
