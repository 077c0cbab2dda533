"""The wall time of the driver, split: sums to the whole, exactly, whatever the spans look like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.profile import analyse
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.causes import CauseFinder
from goldsplit.analyse.wall.partition import Partition, partition
from goldsplit.model.recording import (
    Frame,
    NodeTotals,
    ProcessId,
    Recording,
    StackChunk,
    StackCount,
    ThreadKey,
)

S = 1_000_000_000
DRIVER = ThreadKey(ProcessId(7), 0)


def split(recording: Recording, borders: tuple[int, int]) -> Partition:
    driver = recording.processes[0]
    finder = CauseFinder(recording.processes)
    return partition(Series(driver), DRIVER, borders, finder, Samples(recording, *borders))


def shares(result: Partition) -> dict[str, float]:
    return {stage: time.total_ns / result.wall_ns for stage, time in result.stages.items()}


def check_sum(result: Partition) -> None:
    total = sum(time.total_ns for time in result.stages.values()) + result.unattributed_ns
    assert total == pytest.approx(result.wall_ns, rel=1e-9)
    assert all(0 <= time.total_ns <= result.wall_ns * (1 + 1e-9) for time in result.stages.values())
    assert result.unattributed_ns >= 0
    assert "" not in result.stages


def test_spans_and_the_rest(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(4 * S, "rollout", "env.step")
    one.spend(1 * S, "rollout")
    one.spend(3 * S, "learn.backward")
    one.snapshot(10 * S)
    result = split(recording(one), (0, 10 * S))
    assert shares(result) == pytest.approx({"env.step": 0.4, "rollout": 0.1, "learn.backward": 0.3})
    assert result.unattributed_ns == pytest.approx(2 * S)


def test_compilation_is_start_up_and_leaves_the_wall(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(6 * S, "env.step", "startup")
    one.spend(4 * S, "env.step")
    one.snapshot(10 * S)
    result = split(recording(one), (0, 10 * S))
    assert result.startup_ns == pytest.approx(6 * S, rel=1e-6)
    assert result.wall_ns == pytest.approx(4 * S, rel=1e-6)
    assert shares(result) == pytest.approx({"env.step": 1.0})


def test_a_wait_is_charged_by_what_raw_windows_saw(maker: Any, recording: Callable[..., Recording]) -> None:
    driver, worker = maker(7), maker(8, 7)
    driver.process.pipes.append((10, 11))
    driver.snapshot(0)
    wait = driver.spend(8 * S, "vec.recv", "vec.wait", detail="pipe:10")
    driver.spend(2 * S, "act")
    driver.snapshot(10 * S)
    driver.raw(0, 1000, (wait, 0, 1000))
    worker.node("vec.send", detail="pipe:11")
    worker.raw(0, 1000, (worker.node("env.step"), 0, 750), (worker.node("env.reset"), 750, 1000))
    result = split(recording(driver, worker), (0, 10 * S))
    assert shares(result) == pytest.approx({"env.step": 0.6, "env.reset": 0.2, "act": 0.2})
    assert result.stages["env.step"].waited_ns == pytest.approx(6 * S)
    assert result.charged[ThreadKey(ProcessId(8), 0)] == pytest.approx(8 * S)


@pytest.mark.parametrize(
    ("is_recorded", "rest"),
    [(True, "vec.wait"), (False, "env.step")],
    ids=["a worker is being woken", "a game asks its server"],
)
def test_what_nothing_explains_is_the_message_or_the_stage_around(
    maker: Any, recording: Callable[..., Recording], is_recorded: bool, rest: str
) -> None:
    driver, worker = maker(7), maker(8, 7)
    driver.process.pipes.append((10, 11))
    driver.snapshot(0)
    wait = driver.spend(10 * S, "env.step", "vec.wait", detail="pipe:10")
    driver.snapshot(10 * S)
    driver.raw(0, 1000, (wait, 0, 1000))
    if is_recorded:
        worker.node("vec.send", detail="pipe:11")
        worker.raw(0, 1000)
    assert shares(split(recording(driver, worker), (0, 10 * S))) == pytest.approx({rest: 1.0})


def test_a_wait_without_evidence_stays_waiting(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(3 * S, "vec.recv", "vec.wait", detail="pipe:10")
    one.spend(2 * S, "replay.sample", "wait")
    one.snapshot(5 * S)
    assert shares(split(recording(one), (0, 5 * S))) == pytest.approx({"vec.wait": 0.6, "replay.sample": 0.4})


def test_evidence_of_the_same_wait_with_another_detail_serves(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    driver, worker = maker(7), maker(8, 7)
    driver.process.pipes.append((10, 11))
    driver.snapshot(0)
    seen = driver.spend(1 * S, "vec.recv", "vec.wait", detail="pipe:10")
    driver.spend(9 * S, "vec.recv", "vec.wait")
    driver.snapshot(10 * S)
    driver.raw(0, 1000, (seen, 0, 1000))
    worker.node("vec.send", detail="pipe:11")
    worker.raw(0, 1000, (worker.node("env.step"), 0, 1000))
    assert shares(split(recording(driver, worker), (0, 10 * S))) == pytest.approx({"env.step": 1.0})


def pool_driver(maker: Any) -> Any:
    """10 s: 8 in messages; of the rest, half lies between two of them."""
    one = maker(7)
    one.snapshot(0)
    send = one.spend(8 * S, "vec.send", count=0)
    one.snapshot(10 * S)
    one.raw(0, 10_000, (send, 0, 4000), (send, 5000, 9000))
    return one


def test_a_gap_between_two_messages_is_communication(maker: Any, recording: Callable[..., Recording]) -> None:
    result = split(recording(pool_driver(maker)), (0, 10 * S))
    check_sum(result)
    assert shares(result) == pytest.approx({"vec.send": 0.9})
    assert result.stages["vec.send"].sampled_ns == pytest.approx(1 * S)
    assert result.unattributed_ns == pytest.approx(1 * S)


def test_gaps_that_stacks_name_are_not_communication(maker: Any, recording: Callable[..., Recording]) -> None:
    run = recording(pool_driver(maker))
    run.frames = [Frame("select_action", "/home/u/train.py", 3)]
    run.chunks = [StackChunk(0, 10 * S, 25, 4, 0, 0, 0.0, (StackCount(7, 7, "MainThread", (0,), 4),))]
    result = split(run, (0, 10 * S))
    check_sum(result)
    assert shares(result) == pytest.approx({"vec.send": 0.8, "act": 0.2})


def test_what_no_span_covers_is_split_by_stacks(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(5 * S, "env.step")
    one.snapshot(10 * S)
    run = recording(one)
    run.frames += [
        Frame("main", "/home/u/train.py", 1),
        Frame("Agent.select_action", "/home/u/train.py", 9),
        Frame("goldsplit:env.step", "/x/spans.py", 3),
        Frame("odds", "/home/u/train.py", 20),
    ]
    stacks = (
        StackCount(7, 7, "MainThread", (0, 1), 60),
        StackCount(7, 7, "MainThread", (0, 3), 40),
        StackCount(7, 7, "MainThread", (0, 2), 100),
    )
    run.chunks.append(StackChunk(0, 10 * S, 20, 200, 0, 0, 0.1, stacks))
    result = split(run, (0, 10 * S))
    assert shares(result) == pytest.approx({"env.step": 0.5, "act": 0.3, "odds() train.py:20": 0.2})
    assert result.unattributed_ns == 0.0
    act = result.stages["act"]
    assert act.sampled_ns > 0
    assert 0 < act.uncertain_ns < act.sampled_ns


def test_a_counter_outside_stages_is_no_stage(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(2 * S, "counted")
    one.spend(2 * S, "env.step", "counted")
    one.snapshot(5 * S)
    result = split(recording(one), (0, 5 * S))
    check_sum(result)
    assert shares(result) == pytest.approx({"env.step": 0.4})
    assert result.unattributed_ns == pytest.approx(3 * S)


STAGES = ["env.step", "env.reset", "act", "rollout", "vec.recv", "vec.wait", "wait", "eval", "log", "startup",
          "counted", "learn.loss", "game.x"]  # fmt: skip
paths = st.lists(st.sampled_from(STAGES), min_size=1, max_size=4).map(tuple)
work = st.lists(
    st.tuples(paths, st.integers(0, 3 * S), st.sampled_from(["", "pipe:10", "t:8", "pid:9"])), max_size=12
)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(work, work, st.integers(0, 3 * S), st.data())
def test_any_tree_sums_to_the_wall_and_no_share_is_over_one(
    maker: Any, recording: Callable[..., Recording], before: Any, during: Any, idle: int, data: st.DataObject
) -> None:
    """Random trees with random waits and causes, between two of the driver's snapshots."""
    driver, other = maker(7, threads=2), maker(9, 7)
    driver.process.pipes.append((10, 11))
    for path, ns, detail in before:
        driver.spend(ns, *path, detail=detail)
    start = sum(ns for _, ns, _ in before) + 1
    driver.snapshot(start)
    nodes = [driver.spend(ns, *path, detail=detail) for path, ns, detail in during]
    end = start + sum(ns for _, ns, _ in during) + idle + 1
    driver.snapshot(end)
    if nodes:
        at = start
        rows = []
        for node in nodes[:5]:
            rows.append((node, at, at + 50))
            at += 60
        driver.raw(start, at + 100, *rows)
        other.node("vec.send", detail="pipe:11")
        kinds = data.draw(st.lists(st.sampled_from(STAGES), max_size=4))
        other.raw(
            start, at, *[(other.node(k), start + 40 * i, start + 40 * i + 30) for i, k in enumerate(kinds)]
        )
    driver.steps(start, end)
    run = recording(driver, other)
    result = split(run, (start, end))
    if result.wall_ns > 1:
        check_sum(result)
    profile = analyse(run)
    assert all(0.0 <= row.wall_share <= 1.0 for row in profile.stages)
    assert all(0.0 <= row.wall_share_low <= row.wall_share_high <= 1.0 for row in profile.stages)
    if result.wall_ns > 1:
        total = sum(row.wall_share for row in profile.stages) + profile.unattributed.wall_share
        assert total == pytest.approx(1.0, abs=1e-6)


def test_a_wait_that_crosses_the_border_distorts_nothing(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    """At the border a wait was open and not yet filed under its cause; afterwards it moved there."""
    driver, worker = maker(7), maker(8, 7)
    driver.process.pipes.append((10, 11))
    plain = driver.node("vec.recv", "vec.wait")
    filed = driver.node("vec.recv", "vec.wait", detail="pipe:10")
    recv = driver.node("vec.recv")
    driver.totals = {(0, plain): NodeTotals(0, 5 * S), (0, recv): NodeTotals(0, 5 * S)}
    driver.snapshot(5 * S)
    driver.totals = {
        (0, plain): NodeTotals(0, 0),
        (0, filed): NodeTotals(1, 9 * S),
        (0, recv): NodeTotals(1, 9 * S),
    }
    driver.spend(1 * S, "act")
    driver.snapshot(10 * S)
    driver.raw(6 * S, 7 * S, (filed, 5 * S, 8 * S))
    worker.node("vec.send", detail="pipe:11")
    worker.raw(6 * S, 7 * S, (worker.node("env.step"), 6 * S, 7 * S))
    result = split(recording(driver, worker), (5 * S, 10 * S))
    check_sum(result)
    assert shares(result) == pytest.approx({"env.step": 0.8, "act": 0.2}, abs=0.01)


def test_a_library_that_is_imported_in_the_loop_is_start_up(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(5 * S, "env.step")
    one.snapshot(10 * S)
    run = recording(one)
    run.frames += [
        Frame("odds", "/home/u/train.py", 20),
        Frame("_load", "<frozen importlib._bootstrap>", 1),
        Frame("goldsplit:env.step", "/x/spans.py", 3),
    ]
    stacks = (
        StackCount(7, 7, "MainThread", (0,), 20),
        StackCount(7, 7, "MainThread", (0, 1), 80),
        StackCount(7, 7, "MainThread", (2,), 100),
    )
    run.chunks.append(StackChunk(0, 10 * S, 20, 200, 0, 0, 0.1, stacks))
    result = split(run, (0, 10 * S))
    assert result.startup_ns == pytest.approx(4 * S)
    assert result.wall_ns == pytest.approx(6 * S)
    assert shares(result) == pytest.approx({"env.step": 5 / 6, "odds() train.py:20": 1 / 6})


def test_imports_before_the_loop_are_not_taken_from_it(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    """A chunk of the start-up ends a second after the loop has begun: what it saw imported was before."""
    one = maker(7)
    one.snapshot(9 * S)
    one.spend(5 * S, "act")
    one.snapshot(19 * S)
    run = recording(one)
    run.frames += [Frame("train", "/home/u/train.py", 20), Frame("_load", "<frozen importlib._bootstrap>", 1)]
    early = (StackCount(7, 7, "MainThread", (0, 1), 180), StackCount(7, 7, "MainThread", (0,), 20))
    late = (StackCount(7, 7, "MainThread", (0,), 90),)
    run.chunks += [
        StackChunk(0, 10 * S, 20, 200, 0, 0, 0.1, early, startup=True),
        StackChunk(10 * S, 19 * S, 20, 90, 0, 0, 0.1, late, startup=True),
    ]
    result = split(run, (9 * S, 19 * S))
    assert result.startup_ns == 0
    assert shares(result) == pytest.approx({"act": 0.5, "train() train.py:20": 0.5})
