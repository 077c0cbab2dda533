"""One account of spans and samples, whatever both look like."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.stacks.hotspots import hotspots
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.account import threads_at_work_outside
from goldsplit.analyse.wall.causes import CauseFinder
from goldsplit.analyse.wall.partition import Partition, partition
from goldsplit.model.recording import Frame, ProcessId, Recording, StackChunk, StackCount, ThreadKey

S = 1_000_000_000
DRIVER = ThreadKey(ProcessId(7), 0)
USER = "/home/me/train.py"
Stack = tuple[int, tuple[str, ...], int]
"""Process id, its functions (a span's begins with a colon), how often."""


def account(run: Recording, stacks: list[Stack], end_ns: int = 10 * S) -> tuple[Partition, Samples]:
    """The run's partition with these samples; functions are the user's own."""
    names = list(dict.fromkeys(name for _, path, _ in stacks for name in path))
    run.frames[:] = [
        Frame("goldsplit" + name, "", 0) if name.startswith(":") else Frame(name, USER, 10 + place)
        for place, name in enumerate(names)
    ]
    rows = tuple(StackCount(p, p, "MainThread", tuple(map(names.index, path)), n) for p, path, n in stacks)
    run.chunks[:] = [StackChunk(0, end_ns, 20, 200, 0, 0, 0.1, rows)]
    samples = Samples(run, 0, end_ns)
    finder = CauseFinder(run.processes, threads_at_work_outside(samples, DRIVER))
    return partition(Series(run.processes[0]), DRIVER, (0, end_ns), finder, samples), samples


def shares(result: Partition) -> dict[str, float]:
    return {stage: time.total_ns / result.wall_ns for stage, time in result.stages.items()}


def test_a_finer_sampled_stage_splits_a_span(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(8 * S, "env.step")
    one.spend(2 * S, "act")
    one.snapshot(10 * S)
    stacks: list[Stack] = [
        (7, ("main", ":env.step", "Game.step", "View.observe"), 75),
        (7, ("main", ":env.step", "Game.step", "odds"), 25),
        (7, ("main", ":act", "pick"), 5),
    ]
    result, samples = account(recording(one), stacks)
    assert shares(result) == pytest.approx({"env.step": 0.2, "env.observe": 0.6, "act": 0.2}, rel=1e-4)
    observe = result.stages["env.observe"]
    assert (observe.direct_ns, observe.samples) == (0.0, 75)
    assert 0 < observe.uncertain_ns < 1 * S
    assert result.finer_own["env.step"] == pytest.approx({"env.step": 0.25, "env.observe": 0.75})
    spots = {
        (spot.function, spot.stage): spot.self_share for spot in hotspots(result.shares(), samples.frames)
    }
    assert spots == pytest.approx({("View.observe", "env.observe"): 0.6, ("odds", "env.step"): 0.2}, rel=1e-4)


def test_seven_samples_divide_nothing(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(10 * S, "env.step")
    one.snapshot(10 * S)
    result, _ = account(recording(one), [(7, (":env.step", "step", "observe"), 7)])
    assert shares(result) == pytest.approx({"env.step": 1.0})
    assert sum(weight.ns for weight in result.weights) == pytest.approx(result.wall_ns)


def test_forward_passes_that_samples_see_otherwise_count_by_the_spans(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(1 * S, "act")
    one.spend(9 * S, "learn.forward")
    one.snapshot(10 * S)
    result, _ = account(recording(one), [(7, ("main", ":forward", "Net.forward"), 100)])
    assert shares(result) == pytest.approx({"act": 0.1, "learn.forward": 0.9})
    by_stage: dict[str | None, float] = defaultdict(float)
    for weight, share in result.shares():
        by_stage[weight.stage] += share
    assert by_stage == pytest.approx({"act": 0.1, "learn.forward": 0.9})


def waiting(maker: Any) -> tuple[Any, Any]:
    """A driver that waits 10 s for a worker."""
    driver, worker = maker(7), maker(8, 7)
    driver.process.pipes.append((10, 11))
    driver.snapshot(0)
    wait = driver.spend(10 * S, "vec.recv", "vec.wait", detail="pipe:10")
    driver.snapshot(10 * S)
    driver.raw(0, 1000, (wait, 0, 1000))
    worker.node("vec.send", detail="pipe:11")
    return driver, worker


def test_a_wait_is_divided_by_the_workers_samples(maker: Any, recording: Callable[..., Recording]) -> None:
    driver, worker = waiting(maker)
    worker.raw(0, 1000, (worker.node("env.step"), 0, 1000))
    other = maker(9, 7)  # only some workers are sampled: the others are like them
    other.node("env.step")
    stacks: list[Stack] = [
        (9, ("loop", ":env.step", "step", "Foe.opponent_turn"), 60),
        (9, ("loop", ":env.step", "step"), 40),
    ]
    result, _ = account(recording(driver, worker, other), stacks)
    assert shares(result) == pytest.approx({"env.step": 0.4, "env.opponent": 0.6})
    assert result.stages["env.opponent"].waited_ns == pytest.approx(6 * S)
    assert sum(weight.ns for weight in result.weights) == pytest.approx(10 * S)


def test_a_worker_busy_in_no_stage_is_no_message_latency(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    driver, worker = waiting(maker)
    worker.raw(0, 1000)
    result, _ = account(
        recording(driver, worker), [(8, ("loop", ":vec.send", "send"), 5), (8, ("loop", "foeMoves"), 95)]
    )
    assert shares(result) == pytest.approx({"foeMoves() train.py:13": 1.0})
    assert result.charged[ThreadKey(ProcessId(8), 0)] == pytest.approx(10 * S)
    idle, _ = account(recording(driver, worker), [])
    assert shares(idle) == pytest.approx({"vec.wait": 1.0})


NAMES = [":env.step", ":act", ":eval", ":forward", ":learn.loss", "main", "observe", "odds", "step", "push"]
SPANS = ["env.step", "act", "eval", "learn.forward", "learn.loss", "env.observe"]
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5).map(tuple)
trees = st.lists(
    st.tuples(st.lists(st.sampled_from(SPANS), min_size=1, max_size=3), st.integers(1, 10)), max_size=6
)
stack_lists = st.lists(st.tuples(paths, st.integers(1, 40)), max_size=10)


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(spans=trees, seen=stack_lists)
def test_no_sample_is_lost_and_no_function_above_its_stage(
    maker: Any,
    recording: Callable[..., Recording],
    spans: list[tuple[list[str], int]],
    seen: list[tuple[tuple[str, ...], int]],
) -> None:
    one = maker(7)
    one.snapshot(0)
    for path, seconds in spans:
        one.spend(seconds * S, *path, count=0)
    end_ns = sum(seconds for _, seconds in spans) * S + 5 * S
    one.snapshot(end_ns)
    merged = dict(seen)
    result, samples = account(recording(one), [(7, path, count) for path, count in merged.items()], end_ns)
    total = sum(time.total_ns for time in result.stages.values()) + result.unattributed_ns
    assert total == pytest.approx(result.wall_ns)
    weighted = sum(weight.ns for weight in result.weights)
    assert weighted <= result.wall_ns * (1 + 1e-9)
    by_stage: dict[str | None, float] = defaultdict(float)
    for weight in result.weights:
        by_stage[weight.stage] += weight.ns
        assert weight.ns > 0
    for stage, ns in by_stage.items():
        assert stage is None or ns <= result.stages[stage].total_ns * (1 + 1e-9)
    timed = {stage for stage, time in result.stages.items() if time.direct_ns > 0}
    counted = {weight.row.frames for weight in result.weights}
    outside = any(not row.spans for row in samples.rows)
    for row in samples.rows:
        if set(row.spans) & timed or (outside and not row.spans):
            assert row.frames in counted, "a sample in a span that has time stands for some of it"
    for spot in hotspots(result.shares(), samples.frames):
        limit = result.stages[spot.stage].total_ns if spot.stage else result.unattributed_ns
        assert spot.self_share <= limit / result.wall_ns + 1e-9
        assert spot.self_share <= spot.total_share <= limit / result.wall_ns + 1e-9
