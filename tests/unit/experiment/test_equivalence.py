"""Where two runs part."""

from __future__ import annotations

import dataclasses

import pytest

from goldsplit.experiment.equivalence import compare_trajectories, unseeded
from goldsplit.model.trajectory import FIELDS, Checkpoint, Trajectory


def rows(steps: list[int], **differs: int) -> tuple[Checkpoint, ...]:
    """Checkpoints; `reward=8`: another digest of the reward from step 8 on."""
    return tuple(
        Checkpoint(
            step,
            tuple(f"{field}{step}{'!' if differs.get(field, 1 << 40) <= step else ''}" for field in FIELDS),
        )
        for step in steps
    )


STEPS = [1, 2, 4, 8, 64, 128]
BASE = Trajectory({"main/env-0": rows(STEPS), "main/env-1": rows(STEPS)})


def test_equal_runs() -> None:
    found = compare_trajectories(BASE, BASE)
    assert (found.answer, found.step) == ("yes", None)
    assert found.reason == "equal over 256 steps of 2 environments"
    assert unseeded(BASE, BASE) is None


def test_the_first_difference_of_all_environments() -> None:
    other = Trajectory(
        {"main/env-0": rows(STEPS, observation=64), "main/env-1": rows(STEPS, reward=8, ended=64)}
    )
    found = compare_trajectories(BASE, other)
    assert (found.answer, found.step, found.environment, found.field) == ("no", 8, "main/env-1", "reward")
    assert found.reason == "reward differs in steps 5 to 8 of main/env-1"
    refused = unseeded(BASE, other)
    assert refused is not None
    assert refused.answer == "not comparable"
    assert "seed it" in refused.reason


def test_the_first_step_is_named_alone() -> None:
    other = Trajectory({"main/env-0": rows(STEPS, action=1)})
    assert compare_trajectories(BASE, other).reason == "action differs in step 1 of main/env-0"


def test_the_common_prefix_is_compared() -> None:
    shorter = Trajectory({"main/env-0": rows([*STEPS[:4], 11])})
    found = compare_trajectories(BASE, shorter)
    assert found.answer == "yes"
    assert found.reason == "equal over 8 steps of 1 environment; 1 more were not compared"


def test_workers_may_have_other_environments() -> None:
    lanes = {f"main/vector-0[{lane}]": rows(STEPS) for lane in (0, 1)}
    one = Trajectory(lanes | {"worker-1/env-0": rows(STEPS), "worker-2/env-0": rows(STEPS)})
    two = Trajectory(lanes | {"worker-1/env-0": rows(STEPS, action=1)})
    found = compare_trajectories(one, two)
    assert found.answer == "yes"
    assert found.reason == "equal over 256 steps of 2 environments; 2 more were not compared"


def test_an_unknown_field_is_left_out() -> None:
    without = tuple(dataclasses.replace(row, digests=("", *row.digests[1:])) for row in rows(STEPS))
    assert compare_trajectories(BASE, Trajectory({"main/env-0": without})).answer == "yes"


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (Trajectory({}), "no environment step of the second run"),
        (Trajectory({"worker-1/env-0": rows(STEPS)}), "no environment in common"),
        (Trajectory({"main/env-0": rows([3])}), "no step in common"),
        (dataclasses.replace(BASE, problems=("main: builtins.object",)), "could be hashed: main: builtins"),
        (dataclasses.replace(BASE, version=2), "different versions"),
    ],
)
def test_what_cannot_be_compared(other: Trajectory, reason: str) -> None:
    found = compare_trajectories(BASE, other)
    assert found.answer == "not comparable"
    assert reason in found.reason
