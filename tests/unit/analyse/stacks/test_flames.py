"""Folded stacks, flame trees and source lines, from hand-made samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.detail import look_closer
from goldsplit.analyse.stacks import flames as module
from goldsplit.analyse.stacks.flames import stage_begin
from goldsplit.model.detail import Detail
from goldsplit.model.recording import Frame, Recording, StackChunk, StackCount

SECOND = 1_000_000_000
MAIN = Frame("main", "/home/me/train.py", 50)
STEP = Frame("Game.step", "/home/me/game.py", 10)
SIGHT = Frame("sight", "/home/me/game.py", 30)
SIGHT_BELOW = Frame("sight", "/home/me/game.py", 31)
WRAPPED = Frame("goldsplit:env.step", "/x/goldsplit/record/engine.py", 5)
NUMPY = Frame("stack", "/x/site-packages/numpy/core.py", 7)
FORWARD = Frame("Module._call_impl", "/x/site-packages/torch/nn/modules/module.py", 9)
LINEAR = Frame("Linear.forward", "/x/site-packages/torch/nn/modules/linear.py", 3)
ROLLOUT = Frame("PPO.collect_rollouts", "/x/site-packages/stable_baselines3/ppo.py", 2)
LOST = Frame("nothing_known", "/home/me/train.py", 60)


@pytest.mark.parametrize(
    ("frames", "stage", "begin"),
    [
        ([MAIN, WRAPPED, STEP, SIGHT], "env.step", 2),
        ([MAIN, WRAPPED], "env.step", 1),
        ([MAIN, STEP, SIGHT], "env.step", 1),
        ([MAIN, ROLLOUT, FORWARD, FORWARD, LINEAR], "act", 2),
        ([MAIN, FORWARD, LINEAR], "act", 1),
        ([MAIN, LOST], None, 0),
    ],
)
def test_a_stack_begins_where_its_stage_does(frames: list[Frame], stage: str | None, begin: int) -> None:
    assert stage_begin(frames, stage) == begin


def sampled(*stacks: tuple[tuple[Frame, ...], int], startup: bool = False) -> Recording:
    """A process that was attached to, seen with these stacks."""
    frames = list({frame: None for stack, _ in stacks for frame in stack})
    rows = tuple(
        StackCount(7, 7, "MainThread", tuple(frames.index(frame) for frame in stack), count)
        for stack, count in stacks
    )
    chunk = StackChunk(0, 10 * SECOND, 50, 100, 0, 0, 0.1, rows, startup=startup)
    return Recording({"id": "r", "start_ns": 0, "started": 1000.0, "target_pid": 7}, [], frames, [chunk], [])


def missing(file: str) -> tuple[list[str], float]:
    raise FileNotFoundError(file)


def boxes(detail: Detail, number: int = 0) -> list[tuple[str, int, float]]:
    frames = detail.frames
    return [(frames[node.frame].function, node.depth, node.weight) for node in detail.flames[number].nodes]


def test_lines_of_a_function_share_a_box_and_callers_are_left_out() -> None:
    recording = sampled(((MAIN, STEP, SIGHT), 60), ((MAIN, STEP, SIGHT_BELOW), 20), ((MAIN, LOST), 20))
    detail = look_closer(recording, missing)
    assert boxes(detail) == [
        ("env.step", 0, pytest.approx(0.8)),
        ("Game.step", 1, pytest.approx(0.8)),
        ("sight", 2, pytest.approx(0.8)),
        ("nothing_known() train.py:60", 0, pytest.approx(0.2)),
        ("nothing_known", 1, pytest.approx(0.2)),
    ]
    assert [node.own for node in detail.flames[0].nodes][:3] == pytest.approx([0, 0, 0.8])
    sight = next(frame for frame in detail.frames if frame.function == "sight")
    assert (sight.line, sight.kind) == (30, "yours")


def test_stacks_keep_all_their_frames_for_the_exports() -> None:
    detail = look_closer(sampled(((MAIN, WRAPPED, STEP, NUMPY), 10)), missing)
    (stack,) = detail.stacks
    assert [detail.frames[i].function for i in stack.frames] == ["main", "Game.step", "stack"]
    assert (stack.stage, stack.samples, stack.wall_share) == ("env.step", 10, pytest.approx(1.0))
    assert detail.threads[stack.thread].pid == 7


def test_narrow_boxes_go_together_with_those_as_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BOXES_OF_RUN", 4)
    many = [((MAIN, STEP, Frame(f"f{i}", "/home/me/game.py", i)), 1) for i in range(50)]
    detail = look_closer(sampled(((MAIN, STEP, SIGHT), 50), *many), missing)
    assert [name for name, _, _ in boxes(detail)] == ["env.step", "Game.step", "sight"]
    assert detail.flames[0].hidden_boxes == 50
    assert detail.flames[0].nodes[1].own == pytest.approx(0.5), "what is left out stays with the box above"


def test_where_no_loop_was_recognised_all_stacks_are_shown() -> None:
    detail = look_closer(sampled(((MAIN, LOST), 10), startup=True), missing)
    assert [name for name, _, _ in boxes(detail)] == ["nothing_known() train.py:60", "nothing_known"]


def test_imports_are_no_part_of_the_flames() -> None:
    importing = (MAIN, Frame("_load", "<frozen importlib._bootstrap>", 1), NUMPY)
    detail = look_closer(sampled((importing, 30), ((MAIN, STEP), 10)), missing)
    assert [name for name, _, _ in boxes(detail)] == ["env.step", "Game.step"]


def reader(changed: float) -> Callable[[str], tuple[list[str], float]]:
    def read(file: str) -> tuple[list[str], float]:
        return [f"\tline {n} of {file}  " for n in range(1, 61)], changed

    return read


def test_a_line_owns_what_libraries_do_for_it() -> None:
    recording = sampled(((MAIN, STEP, NUMPY), 60), ((MAIN, STEP, SIGHT), 40))
    detail = look_closer(recording, reader(changed=900.0))
    game = next(source for source in detail.sources if source.file == "/home/me/game.py")
    hot: dict[int, Any] = {line.number: line for line in game.lines}
    assert hot[10].own_share == pytest.approx(0.6)
    assert hot[10].total_share == pytest.approx(1.0)
    assert hot[30].own_share == pytest.approx(0.4)
    assert sorted(hot) == [8, 9, 10, 11, 12, 28, 29, 30, 31, 32]
    assert hot[11].text == "    line 11 of /home/me/game.py"
    assert game.doubt == ""


def test_a_file_that_changed_or_went_is_doubted() -> None:
    recording = sampled(((MAIN, STEP), 60))
    changed = look_closer(recording, reader(changed=1001.0)).sources[0]
    assert "changed after the run began" in changed.doubt
    gone = look_closer(recording, missing).sources[0]
    assert "not there any more" in gone.doubt
    assert [(line.number, line.text) for line in gone.lines] == [(10, None)]


def test_what_an_attached_driver_waits_for_lies_in_the_other_threads_stacks() -> None:
    waiting = (MAIN, Frame("Condition.wait", "/usr/lib/python3.11/threading.py", 320))
    frames = [*waiting, STEP, SIGHT]
    rows = (StackCount(7, 7, "MainThread", (0, 1), 10), StackCount(7, 8, "Pool-0", (2, 3), 10))
    chunk = StackChunk(0, SECOND, 50, 20, 0, 0, 0.1, rows, waits=((0, 1, 10.0),))
    recording = Recording({"id": "r", "start_ns": 0, "target_pid": 7}, [], frames, [chunk], [])
    detail = look_closer(recording, missing)
    assert boxes(detail) == [("env.step", 0, 1.0), ("Game.step", 1, 1.0), ("sight", 2, 1.0)]
    assert detail.strips[0].cells[0].wait_share == 1.0
    assert [flame.thread for flame in detail.flames] == [None, 0, 1]
