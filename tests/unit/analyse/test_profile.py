"""The whole analysis over hand-made recordings: rows, lanes, hotspots, trust, stacks alone."""

from __future__ import annotations

import copy
import dataclasses
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from goldsplit.analyse.detail import explain_closely
from goldsplit.analyse.profile import analyse
from goldsplit.analyse.wall.lanes import process_name, without_core
from goldsplit.model.finding import Place
from goldsplit.model.recording import (
    CUT_OFF,
    DeviceSample,
    Frame,
    ProcessSample,
    Recording,
    StackChunk,
    StackCount,
    SystemSample,
)

S = 1_000_000_000
USER = "/home/u/train.py"


@pytest.fixture
def lock_step(maker: Any, recording: Callable[..., Recording]) -> Recording:
    """10 s: a driver over pipes, worker 8 busy a quarter of the time, worker 9 nearly always."""
    driver, fast, slow = maker(7), maker(8, 7), maker(9, 7)
    driver.process.pipes += [(10, 11), (20, 21)]
    for one in (driver, fast, slow):
        one.snapshot(0)
    wait = driver.spend(8 * S, "rollout", "vec.recv", "vec.wait", detail="pipe:20", count=100)
    driver.spend(1 * S, "rollout", "act", count=100)
    driver.spend(1 * S, "rollout")
    driver.snapshot(10 * S, vec_env_steps=200)
    for worker, near, busy in ((fast, 11, 2), (slow, 21, 8)):
        step = worker.spend(busy * S, "env.step", count=100)
        waits = worker.spend((10 - busy) * S, "vec.recv", "vec.wait", detail=f"pipe:{near}")
        worker.snapshot(10 * S, own_env_steps=100)
        worker.raw(0, 1000, (step, 0, busy * 100), (waits, busy * 100, 1000))
        worker.process.histograms[0, step] = {140: 100}
    driver.raw(0, 1000, (wait, 0, 800), (driver.node("rollout", "act"), 800, 1000))
    slow.steps(1, 10 * S)
    return recording(driver, fast, slow, end_ns=11 * S)


def test_the_slow_worker_is_named_and_the_fast_ones_barrier_shown(lock_step: Recording) -> None:
    profile = analyse(lock_step)
    step = profile.stages[0]
    assert step.stage == "env.step"
    assert step.wall_share == pytest.approx(0.8, rel=1e-4)
    assert step.waited_share == pytest.approx(0.8, rel=1e-4)
    assert (step.calls, step.source) == (200, "span")
    assert step.mean_us == pytest.approx(50_000, rel=1e-3)
    lanes = {lane.pid: lane for lane in profile.lanes}
    assert [lanes[pid].role for pid in (7, 8, 9)] == ["driver", "env-worker", "env-worker"]
    assert lanes[9].charged_share == pytest.approx(0.8, rel=1e-4)
    assert lanes[8].charged_share == 0.0
    assert lanes[8].barrier_share == pytest.approx(0.6, abs=0.01)
    assert profile.lanes[0].role == "driver"
    assert lanes[8].env_steps == 100


def test_analysing_changes_nothing_of_a_recording(
    lock_step: Recording, maker: Any, recording: Callable[..., Recording]
) -> None:
    silent = maker(10, 7)
    silent.process.end_ns = 5 * S
    lock_step.processes.append(silent.process)
    before = copy.deepcopy(lock_step)
    first = analyse(lock_step)
    assert lock_step == before
    assert analyse(lock_step) == first


def test_rows_have_ceilings_and_units(lock_step: Recording) -> None:
    profile = analyse(lock_step)
    rows = {row.stage: row for row in profile.stages}
    assert rows["env.step"].ceiling_speedup == pytest.approx(5.0, rel=1e-3)
    assert rows["act"].ceiling_speedup == pytest.approx(1 / 0.9, rel=1e-3)
    assert rows["act"].us_per_env_step == pytest.approx(1e6 / 200, rel=1e-3)
    assert rows["env.step"].p50_us == pytest.approx(2.718281828 ** (140.5 / 8) / 1e3, rel=0.01)
    assert profile.throughput.env_steps == 200, "the driver counts for its workers"
    assert sum(row.wall_share for row in profile.stages) + profile.unattributed.wall_share == pytest.approx(
        1.0
    )


def test_phases_add_up_to_the_wall(lock_step: Recording) -> None:
    profile = analyse(lock_step)
    phases = profile.phases
    total = (phases.startup_seconds or 0) + phases.steady_seconds + (phases.shutdown_seconds or 0)
    assert total == pytest.approx(profile.run.wall_seconds)


def test_trust_says_what_went_wrong(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.spend(S, "act")
    one.snapshot(S)
    one.spend(S, "act", count=1000)
    one.snapshot(2 * S, own_env_steps=3)
    one.process.notes += ["hook x failed", "hook x failed"]
    one.process.dropped_lines = 4
    one.process.failures = {("hooks/classes.py consider", "KeyError: 'x'"): 1, ("a span", "ValueError"): 1234}
    one.process.mapped.add("__main__:think")
    one.process.unmapped["game:tunr"] = "game has no tunr"
    run = recording(one, stages={"train:think": "act", "game:tunr": "act"}, notes=["py-spy is missing"])
    run.damage.append("proc-7: 2 damaged lines skipped")
    notes = analyse(run).trust.notes
    text = "\n".join(notes)
    assert "py-spy is missing" in text
    assert text.count("hook x failed") == 1
    assert "4" in next(note for note in notes if "lost" in note)
    once, often = (note.partition(": ")[2] for note in notes if "goldsplit's own code" in note)
    assert once == (
        "goldsplit's own code failed once in hooks/classes.py consider: KeyError: 'x'; the program went on"
    )
    assert "failed 1,234 times in a span: ValueError" in often
    assert "game:tunr" in text
    assert "train:think" not in text
    assert "ended without saying so" in text
    assert "damaged lines" in text


def test_a_worker_that_ends_with_the_trainer_is_no_doubt_one_that_was_killed_is(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    driver, closed_by_exit, *killed = (maker(pid) for pid in (7, 8, 9, 10))
    for second in (1, 100):
        driver.snapshot(second * S, own_env_steps=second)
        closed_by_exit.snapshot(second * S)
    for one in killed:
        one.snapshot(2 * S)
    driver.process.end_ns = 101 * S
    notes = analyse(recording(driver, closed_by_exit, *killed)).trust.notes
    assert "processes 9, 10 ended without saying so (killed?)" in notes
    assert not any("8" in note for note in notes)


def test_a_full_disk_is_no_shutdown_and_no_killed_process(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    driver = maker(7)
    for second in (1, 2):
        driver.snapshot(second * S, own_env_steps=second)
    run = recording(driver, end_ns=60 * S, notes=[f"{CUT_OFF}: No space left on device"])
    profile = analyse(run)
    assert profile.phases.shutdown_seconds is None
    assert "process 7: what came after the last line that could be written is not in the figures" in (
        profile.trust.notes
    )
    assert not any("killed" in note for note in profile.trust.notes)


def test_the_recorders_cost_is_an_interval_that_grows_with_spans(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    costs = []
    for calls in (1000, 100_000):
        one = maker(7)
        one.snapshot(0)
        one.spend(S, "act", count=calls)
        one.snapshot(2 * S)
        one.steps(1, 2 * S)
        trust = analyse(recording(one)).trust
        assert trust.overhead_low is not None
        assert trust.overhead_share is not None
        assert trust.overhead_high is not None
        assert 0 <= trust.overhead_low <= trust.overhead_share <= trust.overhead_high
        costs.append(trust.overhead_share)
    assert costs[1] > 50 * costs[0]
    unknown = maker(7)
    unknown.process.warm_span_ns = 0.0
    unknown.spend(S, "act")
    unknown.snapshot(S)
    unknown.snapshot(2 * S)
    assert analyse(recording(unknown)).trust.overhead_share is None, "not measured is not 0"


def sampled(
    recording: Callable[..., Recording], *stacks: tuple[tuple[int, ...], int], **more: Any
) -> Recording:
    run = recording(kind="attach", target_pid=7)
    run.frames += [
        Frame("<module>", USER, 1),
        Frame("Game.step", USER, 10),
        Frame("Agent.select_action", USER, 20),
        Frame("odds", USER, 30),
        Frame("Connection._recv", "/usr/lib/python3.11/multiprocessing/connection.py", 5),
        Frame("dot", "/x/site-packages/numpy/core.py", 3),
    ]
    rows = tuple(StackCount(7, 7, "MainThread", frames, count) for frames, count in stacks)
    rows += more.get("others", ())
    run.chunks.append(StackChunk(0, 10 * S, 20, 200, 3, 2, 0.1, rows, more.get("waits", ())))
    return run


def test_stacks_alone_split_the_wall(recording: Callable[..., Recording]) -> None:
    profile = analyse(sampled(recording, ((0, 1), 100), ((0, 2, 5), 60), ((0, 3), 40)))
    rows = {row.stage: row for row in profile.stages}
    assert rows["env.step"].wall_share == pytest.approx(0.5)
    assert rows["act"].wall_share == pytest.approx(0.3)
    own = rows["odds() train.py:30"]
    assert (own.wall_share, own.category, own.samples) == (pytest.approx(0.2), "your code", 40)
    assert own.place == Place(USER, 30, "odds")
    assert own.map_with == "train:odds=game.odds"
    assert profile.unattributed.wall_share == 0.0
    assert (profile.trust.attributed_share, profile.trust.own_function_share) == (1.0, pytest.approx(0.2))
    assert {row.source for row in profile.stages} == {"sampled"}
    assert rows["act"].wall_share_low < 0.3 < rows["act"].wall_share_high
    assert rows["act"].calls is None
    assert profile.throughput.env_steps is None
    assert (profile.trust.samples, profile.trust.failed_samples, profile.trust.late_samples) == (200, 3, 2)


def test_stacks_alone_charge_waiting_to_its_cause(recording: Callable[..., Recording]) -> None:
    worker = StackCount(8, 8, "MainThread", (0, 1), 80)
    run = sampled(recording, ((0, 4), 100), ((0, 2), 100), others=(worker,), waits=((0, 2, 80.0),))
    rows = {row.stage: row.wall_share for row in analyse(run).stages}
    assert rows["env.step"] == pytest.approx(0.4)
    assert rows["act"] == pytest.approx(0.5)
    assert sum(rows.values()) == pytest.approx(1.0)


def test_hotspots_name_functions_with_their_share_and_owner(recording: Callable[..., Recording]) -> None:
    profile = analyse(sampled(recording, ((0, 1), 100), ((0, 2, 5), 60), ((0, 3), 40)))
    spots = {spot.function: spot for spot in profile.hotspots}
    assert spots["Game.step"].self_share == pytest.approx(0.5)
    assert (spots["Game.step"].kind, spots["Game.step"].line, spots["Game.step"].stage) == (
        "yours",
        10,
        "env.step",
    )
    act = spots["Agent.select_action"]
    assert (act.kind, act.library, act.samples) == ("library", "dot", 60), "NumPy's time is its caller's"
    assert (act.self_share, act.library_share) == pytest.approx((0.3, 0.3))
    assert spots["odds"].self_share == pytest.approx(0.2)
    assert all(spot.self_share <= spot.total_share + 1e-9 <= 1.0 + 1e-9 for spot in profile.hotspots)
    assert profile.hotspots == sorted(profile.hotspots, key=lambda spot: -spot.self_share)


def test_hotspots_stay_where_no_training_loop_was_recognised(recording: Callable[..., Recording]) -> None:
    run = sampled(recording, ((0, 5), 60), ((0, 3), 40))
    run.chunks[:] = [dataclasses.replace(chunk, startup=True) for chunk in run.chunks]
    assert {spot.function for spot in analyse(run).hotspots} == {"<module>", "odds"}


def test_system_figures_and_foreign_processes(lock_step: Recording) -> None:
    tree = {7: ProcessSample(1.0, 1), 99: ProcessSample(3.0, 50, name="node")}
    for t, cpu, memory in ((0, 0.0, 7), (S, 100.0, 5), (2 * S, 50.0, 6)):
        gpu = DeviceSample("G", cpu / 100, memory)
        lock_step.system.append(SystemSample(t, cpu, 1000 + t // S, tree, (gpu,)))
    profile = analyse(lock_step)
    assert profile.system.cpu_percent == pytest.approx(75.0), "the first sample has nothing to compare with"
    assert profile.system.gpu[0]["utilisation"] == pytest.approx(0.5)
    assert profile.system.rss_peak_bytes == 1002
    assert profile.system.gpu[0]["memory_peak_bytes"] == 7
    foreign = next(lane for lane in profile.lanes if lane.pid == 99)
    assert (foreign.process, foreign.role, foreign.busy_share) == ("node", "server", None)


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (("python", "train.py", "-x"), "train.py"),
        (("/usr/bin/python", "-u", "/a/b/train.py"), "train.py"),
        (("python", "-m", "pkg.train"), "pkg.train"),
        (("python", "-c", "from multiprocessing.spawn import spawn_main"), "multiprocessing"),
        (("python", "-c", "print(1)"), "python -c"),
        (("python",), "python"),
        ((), "python"),
    ],
)
def test_process_names(argv: tuple[str, ...], name: str) -> None:
    assert process_name(argv) == name


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python a piece of work runs, each turn of a loop counted: the same on any machine."""
    lines = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def test_a_long_recording_is_analysed_with_effort_that_grows_with_its_length(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    """Four times the windows and coroutines may not cost sixteen times the effort."""

    def effort(windows: int) -> int:
        one = maker(7, threads=2)
        wait = one.node("wait", detail="t:8")
        task = one.node("env.step", thread=1, task=True)
        select = one.node("wait", thread=1)
        one.snapshot(0)
        one.spend(windows * S, "wait", detail="t:8")
        one.snapshot(windows * S, own_env_steps=5)
        one.steps(1, windows * S)
        for w in range(windows):
            t = w * S
            one.raw(t, t + 10_000, *[(wait, t + i * 50, t + i * 50 + 40) for i in range(200)])
            tasks = [(task, t + i * 50, t + i * 50 + 45) for i in range(200)]
            one.raw(t, t + 10_000, (select, t, t + 10_000), *tasks, thread=1)
        run = recording(one)
        return lines_run(lambda: analyse(run))

    effort(2)
    assert effort(20) < 4.4 * effort(5)


def test_a_thread_without_a_core_is_not_busy(maker: Any, recording: Callable[..., Recording]) -> None:
    """It was "busy 100 %" beside "had no core for 34 % of the time"."""
    one = maker(7)
    one.snapshot(0)
    for second in range(1, 11):
        one.spend(1 * S, "env.step", count=10)
        one.snapshot(second * S, own_env_steps=10 * second)
    one.process.snapshots = [
        dataclasses.replace(seen, threads={0: (seen.t_ns * 45 // 100, seen.t_ns * 34 // 100)})
        for seen in one.process.snapshots
    ]
    one.steps(1, 10 * S)
    run = recording(one, end_ns=10 * S)
    (lane,) = analyse(run).lanes
    assert lane.busy_share == pytest.approx(1.0, rel=0.01)
    assert lane.no_core_share == pytest.approx(0.34, abs=0.01)
    assert lane.at_work_share == pytest.approx(0.66, abs=0.01)
    _, detail = explain_closely(run, single_spans=False)
    assert {round(cell.busy_share, 2) for cell in detail.strips[0].cells} == {0.66}


def test_only_work_can_lack_a_core() -> None:
    assert without_core(100.0, 40, 30) == 30
    assert without_core(100.0, 90, 30) == 10, "woken from a wait, and no core yet: the rest is waiting"
    assert without_core(50.0, 60, 30) == 0
