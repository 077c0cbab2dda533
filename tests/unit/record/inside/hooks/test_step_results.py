"""Reading steps and episodes from what a step returns, in every usual shape."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from goldsplit.record.inside.hooks.step_results import ended_places, read_step


class TimeStep(NamedTuple):
    """As in dm_env."""

    step_type: int
    reward: float
    discount: float
    observation: None = None

    def first(self) -> bool:
        return self.step_type == 0

    def last(self) -> bool:
        return self.step_type == 2


class Outcome:
    """A result that names its parts."""

    def __init__(self, **parts: Any) -> None:
        self.__dict__.update(parts)


class Answers:
    """An object that answers any question for an attribute, by raising what it likes."""

    def __getattr__(self, name: str) -> Any:
        raise KeyError(name)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        # one environment
        ((0, 1.0, True, False, {}), (1, 1)),
        ((0, 1.0, False, True, {}), (1, 1)),
        ((0, 1.0, True, True, {}), (1, 1)),
        ((0, 1.0, False, False, {}), (1, 0)),
        ((0, 1.0, True, {}), (1, 1)),
        ((0, 1.0, False, {}), (1, 0)),
        ((0, 1.0, True), (1, 1)),
        ((0, np.float64(1), np.bool_(True), np.bool_(False), {}), (1, 1)),
        ((0, np.array(1.0), np.array(False), np.array(True), {}), (1, 1)),
        # many environments
        ((0, np.ones(4), np.array([1, 0, 0, 1], bool), np.array([0, 1, 0, 1], bool), {}), (4, 3)),
        ((0, np.ones(4), np.array([1, 0, 0, 1]), [{}] * 4), (4, 2)),
        ((0, np.ones(256), np.zeros(256, bool)), (256, 0)),
        ((0, np.ones((2, 1)), np.array([[True], [False]]), {}), (2, 1)),
        ((0, [1.0, 1.0], [True, False], [False, True], {}), (2, 2)),
        ((0, [1.0, 1.0], [True, False], {}), (2, 1)),
        ((0, np.ones(3), np.array([True, False, False]), [True, False, False], [{}] * 3), (3, 1)),
        ((0, np.ones(3), [False, True, False], np.array([True, False, False]), [{}] * 3), (3, 2)),
        ((0, (1.0, 1.0), (True, False), (False, False), {}), (2, 1)),
        ((0, np.ones(3), np.array([0.0, 1.0, 0.0]), {}), (3, 1)),
        # by agent, as PettingZoo does: one step, one episode when all have ended
        (({}, {}, {"a": True, "b": False}, {"a": False, "b": True}, {}), (1, 1)),
        (({}, {}, {"a": True, "b": False}, {"a": False, "b": False}, {}), (1, 0)),
        (({}, {}, {}, {}, {}), (1, 0)),
        # nothing known about episodes
        (0, (1, None)),
        (None, (1, None)),
        ((0, 1.0), (1, None)),
        ({"obs": 0}, (1, None)),
        # many objectives, one environment
        ((0, np.zeros(3), False, False, {}), (1, 0)),
        ((0, np.zeros(3), True, False, {}), (1, 1)),
        # dm_env: the third part is a discount
        (TimeStep(1, 0.0, 1.0), (1, 0)),
        (TimeStep(2, 0.0, 0.0), (1, 1)),
        (TimeStep(2, 0.0, 1.0), (1, 1)),
        # its first time step: the step has only begun an episode
        (TimeStep(0, 0.0, 1.0), (0, 0)),
        # a list of the results of several environments
        ([(0, 1.0, True, False, {}), (0, 1.0, False, False, {})], (2, 1)),
        (((0, 1.0, True, {}), (0, 1.0, True, {}), (0, 1.0, False, {})), (3, 2)),
        ([TimeStep(1, 0.0, 1.0), TimeStep(2, 0.0, 0.0), TimeStep(0, 0.0, 1.0)], (2, 1)),
        # results with names
        ({"obs": 0, "reward": 1.0, "done": True}, (1, 1)),
        ({"obs": 0, "terminated": np.array([True, False]), "truncated": np.array([True, True])}, (2, 2)),
        (Outcome(done=False), (1, 0)),
        (Outcome(done=np.array([True, True, False])), (3, 2)),
        # by environment and agent: an episode has ended when all agents of a row have
        ((0, 0, np.array([[True, True], [True, False]]), np.zeros((2, 2), bool), {}), (2, 1)),
        # RLlib's word for all agents
        (({}, {}, {"a": True, "__all__": False}, {"__all__": False}, {}), (1, 0)),
        (({}, {}, {"a": False, "__all__": False}, {"__all__": True}, {}), (1, 1)),
    ],
)
def test_shapes(result: Any, expected: tuple[int, int | None]) -> None:
    assert read_step(result) == expected


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch")
    done = torch.tensor([True, False, True])
    assert read_step((0, torch.ones(3), done, torch.tensor([False, True, False]), {})) == (3, 3)
    assert read_step((0, torch.ones(3), done, {})) == (3, 2)
    assert read_step((0, torch.tensor(1.0), torch.tensor(True), torch.tensor(False), {})) == (1, 1)


class OnDevice:
    """A tensor on a device: reading it would wait for the device."""

    class device:
        type = "cuda"

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim

    def __len__(self) -> int:
        return 5

    def __bool__(self) -> bool:
        raise AssertionError("the device was synchronised")

    def detach(self) -> OnDevice:
        return self

    def __ne__(self, other: object) -> bool:
        raise AssertionError("the device was synchronised")

    __int__ = __iter__ = __array__ = __bool__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("ndim", [0, 1])
def test_tensors_on_a_device_are_never_read(ndim: int) -> None:
    tensor = OnDevice(ndim)
    steps, episodes = read_step((0, tensor, tensor, tensor, {}))
    assert (steps, episodes) == (5 if ndim else 1, None)


def test_an_object_may_raise_what_it_likes() -> None:
    assert read_step(Answers()) == (1, None)


def test_many_time_steps_in_one() -> None:
    class Steps(NamedTuple):
        step_type: Any

        def first(self) -> Any:
            return self.step_type == 0

        def last(self) -> Any:
            return self.step_type == 2

    assert read_step(Steps(np.array([0, 1, 2, 2]))) == (3, 2)


def test_which_have_ended() -> None:
    flags = np.array([True, False, False]), np.array([False, False, True])
    assert ended_places((0, np.ones(3), *flags, {})) == [0, 2]
    assert ended_places((0, np.ones(3), flags[0], {})) == [0]
