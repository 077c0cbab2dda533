"""Trajectories of pairs: equal, different, or not comparable because the program differs from itself."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.experiment.equal_play import EqualPlay
from goldsplit.experiment.trials import Experiment
from goldsplit.model.trajectory import FIELDS, Checkpoint, Trajectory


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
