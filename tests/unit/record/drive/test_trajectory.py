"""The trajectory hash: equal content, equal bytes; anything else differs."""

from __future__ import annotations

import dataclasses
import enum
import itertools
import subprocess
import sys
from collections import deque
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from goldsplit.record.drive.problem import DriveError
from goldsplit.record.drive.trajectory import Trajectory
from goldsplit.record.encoding import NotPlain, encoded, encoded_bools, encoded_numbers


class Side(enum.Enum):
    RED = 1
    BLUE = 2


class Pair(NamedTuple):
    left: int
    right: int


@dataclasses.dataclass
class Unit:
    name: str
    place: Any


DIFFERENT: list[Any] = [
    None, True, False, 0, 1, -1, 10**30, 0.0, -0.0, 1.0, float("nan"), float("inf"), "", "1", "a", b"a",
    [], [1], [1.0], ["1"], [True], [[1], [2]], [[1, 2]], (1,), (1.0,), {}, {"a": 1}, {"a": 1.0}, {"b": 1},
    {1: "a"}, {"a": {"b": 1}}, {"a": [1, None]}, set(), {"x"}, {"x", "y"}, Side.RED, Side.BLUE,
    Unit("a", 1), Unit("a", [1]), np.zeros(3), np.zeros(3, np.float32), np.zeros((3, 1)), np.zeros(4),
    np.zeros(0), np.zeros(3, bool), np.array(-0.0), np.float32(0.0), np.int64(0), np.array(["a"]),
    np.array([1, "a"], object), np.array([[1, 2], [3, 4]]), np.array([[1, 3], [2, 4]]), torch.zeros(3),
    torch.zeros(3, dtype=torch.bfloat16), [np.zeros(1), 1], {"a": np.zeros(1)}, {"a": np.zeros(2)},
]  # fmt: skip


def test_no_two_different_values_are_encoded_alike() -> None:
    for one, other in itertools.combinations(DIFFERENT, 2):
        assert encoded(one) != encoded(other), (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"x", "y", "z"}, {"z", "y", "x"}),
        (np.arange(6).reshape(2, 3).T, np.ascontiguousarray(np.arange(6).reshape(2, 3).T)),
        (Pair(1, 2), (1, 2)),
        (deque([1, 2]), [1, 2]),
        ([[1, 2], [3.5, None]], [[1, 2], [3.5, None]]),
    ],
)
def test_the_same_content_is_the_same(one: Any, other: Any) -> None:
    assert encoded(one) == encoded(other)


def test_frames_that_are_stacked_lazily_are_arrays() -> None:
    class Lazy:
        def __array__(self, dtype: Any = None) -> Any:
            return np.ones(3)

    assert encoded(Lazy()) == encoded(np.ones(3))


def test_rewards_are_numbers_whatever_their_type() -> None:
    same = [1, 1.0, np.float32(1.0), np.int64(1), np.array(1.0), True]
    assert len({encoded_numbers(value) for value in same}) == 1
    assert (
        encoded_numbers(np.array([1, 2]))
        == encoded_numbers([1.0, 2.0])
        == encoded_numbers(torch.tensor([1.0, 2]))
    )
    assert encoded_numbers({"a": 1, "b": 0.5}) == encoded_numbers({"b": 0.5, "a": np.float64(1)})
    assert len({encoded_numbers(value) for value in (None, 0.0, -0.0, 1e-300, [0.0])}) == 5


def test_masks_and_ends_are_booleans_whatever_their_type() -> None:
    assert encoded_bools(np.array([1, 0], np.int8)) == encoded_bools([True, False]) == encoded_bools((1, 0))
    assert encoded_bools(np.bool_(True)) == encoded_bools(True)
    assert encoded_bools([True, False]) != encoded_bools([True, False, False])
    assert encoded_bools(None) != encoded_bools(False)


def test_an_object_without_content_is_refused() -> None:
    trajectory = Trajectory()
    for add in (trajectory.reset, lambda value: trajectory.step(value, 0.0, False)):
        with pytest.raises(DriveError, match=r"a builtins\.object, which has no content") as refused:
            add({"state": object()})
        assert "--hash" in refused.value.hint
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(NotPlain):
        encoded(loop)


def test_each_part_of_a_step_counts() -> None:
    def play(observation: Any = 1, reward: Any = 0.5, ended: Any = False, mask: Any = (True, False)) -> str:
        trajectory = Trajectory()
        trajectory.reset(0)
        trajectory.mask(mask, lists_actions=False)
        trajectory.step(observation, reward, ended)
        return trajectory.value()

    values = {play(), play(observation=2), play(reward=0.25), play(ended=True), play(mask=(True, True))}
    assert len(values) == 5
    assert play() == play(reward=np.float32(0.5), mask=np.array([1, 0]))


def test_the_value_does_not_depend_on_the_process() -> None:
    """A change of this figure breaks every hash that users have noted: raise VERSION then."""
    code = (
        "from goldsplit.record.drive.trajectory import Trajectory\n"
        "t = Trajectory(); t.reset({'units': {'tank', 'plane', 'ship'}, 'at': (1, 2.5)})\n"
        "t.step([1, 'a', None], 1, False); print(t.value())"
    )
    values = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert values == {"42f1befb1843c3a5236af926727c199d"}
