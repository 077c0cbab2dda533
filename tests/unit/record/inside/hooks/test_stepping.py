"""Reading steps and episodes from what a step returns, in every usual shape."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.hooks.step_results import read_step
from goldsplit.record.inside.hooks.stepping import after_env_step, after_vector_step, counted_as


class TimeStep(NamedTuple):
    """As in dm_env."""

    step_type: int
    reward: float
    discount: float
    observation: None = None

    def last(self) -> bool:
        return self.step_type == 2


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


class Game:
    pass


@pytest.fixture
def step(state: ThreadState) -> Any:
    """step(result, *path): an environment's step that returns `result`, below the stages of `path`."""

    def call(result: Any, *path: str, stage: str = "env.step", vector: bool = False) -> None:
        opened = [state.enter(name) for name in path]
        node = state.enter(stage)
        state.leave(node)
        (after_vector_step if vector else after_env_step)(state, node, (Game(),), result)
        for one in reversed(opened):
            state.leave(one)

    return call


def test_steps_and_episodes_add_up(state: ThreadState, step: Any) -> None:
    step((0, 0.0, False, False, {}))
    step((0, 0.0, True, False, {}))
    assert state.counts == {"own_env_steps": 2, "own_episodes": 1}
    assert ENGINE.first_step_ns <= ENGINE.last_step_ns
    assert ENGINE.first_step_ns > 0


def test_only_the_outermost_step_counts(state: ThreadState, step: Any) -> None:
    step((0, 0.0, False, False, {}), "env.step", "env.opponent")
    step((0, 0.0, False, False, {}), "env.reset")
    step((0, 0.0, False, False, {}), "rollout", "vec.copy")
    assert state.counts == {}
    step((0, 0.0, False, False, {}), "rollout")
    assert state.counts["own_env_steps"] == 1


def test_evaluation_counts_apart_and_does_not_begin_the_steady_phase(state: ThreadState, step: Any) -> None:
    step((0, 0.0, True, False, {}), "eval")
    assert state.counts == {"eval_env_steps": 1, "eval_episodes": 1}
    assert ENGINE.first_step_ns == 0


def test_a_vector_counts_for_all_its_environments(state: ThreadState, step: Any) -> None:
    result = (0, np.ones(3), np.array([True, False, False]), [{}] * 3)
    step(result, "rollout", stage="vec.copy", vector=True)
    assert state.counts == {"vec_env_steps": 3, "vec_episodes": 1}


def test_an_odd_result_is_one_step(state: ThreadState, step: Any) -> None:
    step((0, 0.0, [True, False], [False], {}))  # two environments or one?
    assert state.counts == {"own_env_steps": 1}


def test_what_a_place_counts_as(state: ThreadState) -> None:
    node = state.child(state.child(state.root, "rollout"), "env.step")
    assert counted_as(node, "") == "own_"
    assert counted_as(state.child(state.child(state.root, "eval"), "vec.copy"), "vec_") == "eval_vec_"
    assert counted_as(state.child(node, "env.step"), "") == ""
