"""Waits for an event loop, from stacks alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from goldsplit.analyse.profile import analyse
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.partition import Partition
from goldsplit.analyse.wall.stack_partition import at_work, busy_share, core_share, partition_stacks
from goldsplit.model.recording import (
    Frame,
    NativeThread,
    ProcessId,
    ProcessSample,
    Recording,
    StackChunk,
    StackCount,
    SystemSample,
)
from goldsplit.store.project_source import digest

S = 1_000_000_000
DRIVER = NativeThread(ProcessId(7), 7)
STD = "/usr/lib/python3.11"
USER = "/home/u/train.py"
SOURCE = ["async def step(): ...", "ask(step())", "ask(act())"]
FRAMES = [
    Frame("<module>", USER, 2),
    Frame("<module>", USER, 3),
    Frame("ask", USER, 9),
    Frame("Future.result", f"{STD}/concurrent/futures/_base.py", 451),
    Frame("Condition.wait", f"{STD}/threading.py", 327),
    Frame("BaseEventLoop._run_once", f"{STD}/asyncio/base_events.py", 1880),
    Frame("EpollSelector.select", f"{STD}/selectors.py", 468),
    Frame("step", USER, 1),
    Frame("parse", USER, 5),
    Frame("Queue.get", f"{STD}/queue.py", 171),
]
ASKED, ASKED_UNKNOWN, AT_A_QUEUE = (0, 2, 3, 4), (1, 2, 3, 4), (0, 2, 9, 4)
IDLE_LOOP, BUSY_LOOP, PARSING_LOOP, LOOPS_OWN = (5, 6), (5, 7), (5, 8), (5,)
ELSEWHERE = (8,)


def split(
    waiting: tuple[int, ...], other: tuple[int, ...], weight: float = 0.0
) -> tuple[Partition, Recording]:
    """100 samples of a waiting driver, beside a thread that was busy at so many of them."""
    stacks = (
        StackCount(7, 7, "MainThread", waiting, 100),
        StackCount(7, 8, "loop", other, 100),
        StackCount(7, 8, "loop", IDLE_LOOP, 1),
    )
    waits = ((0, 1, weight),) if weight else ()
    recording = Recording({}, [], FRAMES, [StackChunk(0, S, 100, 201, 0, 0, 0.1, stacks, waits)], [])
    samples = Samples(recording, 0, 1 << 62)
    return partition_stacks(recording, DRIVER, samples, lambda _: (SOURCE, 0.0)), recording


def shares(found: Partition) -> dict[str, float]:
    return {stage: round(time.sampled_ns / found.wall_ns, 3) for stage, time in found.stages.items()}


def test_a_wait_for_a_suspended_coroutine_goes_to_its_stage() -> None:
    found, _ = split(ASKED, IDLE_LOOP)
    assert shares(found) == {"env.step": 1.0}
    assert (found.asked_ns, found.unexplained_ns) == (pytest.approx(S), pytest.approx(0.0))


@pytest.mark.parametrize("waiting", [ASKED_UNKNOWN, AT_A_QUEUE])
def test_a_wait_that_no_line_explains_stays_a_wait(waiting: tuple[int, ...]) -> None:
    found, _ = split(waiting, IDLE_LOOP)
    assert shares(found) == {"vec.wait": 1.0}
    assert (found.asked_ns, found.unexplained_ns) == (pytest.approx(0.0), pytest.approx(S))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (BUSY_LOOP, {"env.step": 1.0}),
        (PARSING_LOOP, {"env.step": 1.0}),
        (LOOPS_OWN, {"env.step": 0.7, "vec.wait": 0.3}),
        (ELSEWHERE, {"env.step": 0.7, "parse() train.py:5": 0.3}),
    ],
)
def test_while_another_thread_works_only_a_coroutine_can_be_what_was_asked_for(
    other: tuple[int, ...], expected: dict[str, float]
) -> None:
    found, _ = split(ASKED, other, 30.0)
    assert shares(found) == expected


def test_weights_that_were_rounded_up_do_not_add_up_to_more_than_all() -> None:
    found, _ = split(ASKED, BUSY_LOOP, 100.003)
    total_ns = sum(time.sampled_ns for time in found.stages.values()) + found.unattributed_ns
    assert total_ns == pytest.approx(S, rel=1e-9)


def test_the_report_says_which_shares_come_from_source_lines(tmp_path: Path) -> None:
    source = tmp_path / "train.py"
    source.write_text("\n".join(SOURCE))
    _, recording = split(ASKED, IDLE_LOOP)
    moved = [replace(frame, file=str(source)) if frame.file == USER else frame for frame in FRAMES]
    known = {str(source): digest(source.read_bytes())}
    profile = analyse(replace(recording, frames=moved, run={"target_pid": 7}, digests=known))
    assert [(row.stage, row.source) for row in profile.stages] == [("env.step", "sampled")]
    assert any("the line that asked" in note for note in profile.trust.notes)
    assert not any("stacks cannot tell which" in note for note in profile.trust.notes)


def test_time_in_which_no_thread_worked_belongs_to_no_function() -> None:
    found, _ = split(ASKED, BUSY_LOOP, 30.0)
    assert found.stages["env.step"].idle_ns == pytest.approx(0.7 * S)
    assert sum(share for _, share in found.shares()) == pytest.approx(0.3)


def test_a_wait_for_a_thread_at_work_in_no_stage_belongs_to_its_function() -> None:
    found, _ = split(AT_A_QUEUE, ELSEWHERE, 100.0)
    assert shares(found) == {"parse() train.py:5": 1.0}
    assert [(weight.stage, share) for weight, share in found.shares()] == [("parse() train.py:5", 1.0)]


@pytest.mark.parametrize(
    ("by_stacks", "on_core", "busy"),
    [(1.0, None, 1.0), (1.0, 0.01, 0.01), (1.0, 0.9, 1.0), (0.2, 0.15, 0.2), (0.0, 0.0, 0.0)],
)
def test_a_thread_that_sleeps_is_not_busy(by_stacks: float, on_core: float | None, busy: float) -> None:
    assert busy_share(by_stacks, on_core) == busy


def test_the_processor_time_of_a_process_is_seen_from_outside() -> None:
    recording = Recording({}, [], [], [], [])
    assert core_share(recording, 7) is None
    recording.system = [SystemSample(t * 10**9, 0.0, 0, {7: ProcessSample(t * 0.25, 0)}) for t in (0, 4, 8)]
    assert core_share(recording, 7) == 0.25
    assert core_share(recording, 8) is None


def test_a_main_thread_without_a_core_did_not_sleep() -> None:
    recording = Recording({}, [], [], [], [])
    process, beside = ProcessId(7), NativeThread(ProcessId(7), 8)

    def seen(on_core: float, ready: float) -> list[SystemSample]:
        now = [(t, (t * on_core, t * ready)) for t in (0, 4, 8)]
        return [SystemSample(t * 10**9, 0.0, 0, {7: ProcessSample(t * 0.4, 0, None, "", m)}) for t, m in now]

    recording.system = seen(0.4, 0.6)
    assert at_work(recording, NativeThread(process, 7), 1.0) == (1.0, pytest.approx(0.6))
    assert at_work(recording, beside, 1.0) == (0.4, None), "only the main thread is measured"
    recording.system = seen(0.1, 0.02)
    assert at_work(recording, NativeThread(process, 7), 1.0) == (
        pytest.approx(0.12),
        pytest.approx(0.02),
    ), "it sleeps"
