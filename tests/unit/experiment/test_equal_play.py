"""Trajectories of pairs: equal, different, or not comparable because the program differs from itself."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.experiment.equal_play import EqualPlay
from goldsplit.experiment.trials import Experiment
from goldsplit.model.trajectory import FIELDS, Checkpoint, Trajectory, window_of
from goldsplit.model.wire import Variable


def played(*marks: str) -> Trajectory:
    rows = tuple(Checkpoint(step + 1, (mark,) * len(FIELDS)) for step, mark in enumerate(marks))
    return Trajectory({"main/env-0": rows}, (), 1)


@pytest.mark.parametrize(
    ("other", "base_again", "answer", "why"),
    [
        (("a", "b"), ("a", "b"), "yes", "at 2 seeds"),
        (("a", "x"), ("a", "b"), "no", "step 2"),
        (("a", "x"), ("a", "y"), "not comparable", "seed it"),
        (None, ("a", "b"), "not comparable", "no trajectory"),
    ],
)
def test_answers(
    make: SimpleNamespace,
    tmp_path: Path,
    other: tuple[str, ...] | None,
    base_again: tuple[str, ...],
    answer: str,
    why: str,
) -> None:
    world = make.world({})
    read_base: list[str] = []

    def read(run_dir: Path) -> Trajectory | None:
        if run_dir.name.endswith("fast"):
            return None if other is None else played(*other)
        read_base.append(run_dir.name)
        # the fifth recording is the base once more
        return played(
            *(base_again if len(world.commands) > 4 and read_base.count("0-base") % 3 == 0 else ("a", "b"))
        )

    plan = make.plan(pairs=2, equivalent=True)
    with Experiment(plan, tmp_path / "e", world.tools()) as experiment:
        for block in range(2):
            experiment.run_block(block)
        found = EqualPlay(experiment, read).answers()["fast"]
        assert found.answer == answer
        assert why in found.why
        assert len(experiment.trials) == 4, "the base once more is in no comparison"
    assert all(options.trajectory for options in world.options)


def at_steps(mark: str, *steps: int, from_step: int = 1) -> Trajectory:
    """Checkpoints; from a step on with another mark."""
    rows = tuple(Checkpoint(step, (mark if step >= from_step else "a",) * len(FIELDS)) for step in steps)
    return Trajectory({"main/env-0": rows}, (), 1)


def test_the_step_is_found_among_those_where_they_part(make: SimpleNamespace, tmp_path: Path) -> None:
    """The fixed checkpoints tell a range; base and variant run once more, and each step of it is hashed."""
    world = make.world({})

    def read(run_dir: Path) -> Trajectory | None:
        asked = [options.environment.get(Variable.TRAJECTORY_STEPS) for options in world.options]
        steps = range(33, 65) if "33-64" in asked else (64,)
        return at_steps("b" if run_dir.name.endswith("fast") else "a", 1, 32, *steps, from_step=41)

    with Experiment(make.plan(pairs=1, equivalent=True), tmp_path / "e", world.tools()) as experiment:
        experiment.run_block(0)
        play = EqualPlay(experiment, read)
        assert play.answers()["fast"].why == "reset differs in step 41 of main/env-0"
        assert len(world.commands) == 4, "each of the two once more"
        assert len(experiment.trials) == 2


@pytest.mark.parametrize(("text", "steps"), [("33-35", [33, 34, 35]), ("", []), ("a-b", []), ("5", [])])
def test_steps_that_are_asked_for(text: str, steps: list[int]) -> None:
    assert list(window_of(text)) == steps
