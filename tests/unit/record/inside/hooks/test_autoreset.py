"""Vector environments that reset ended environments with the next step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from goldsplit.record.inside.hooks.autoreset import only_reset, resets_with_next_step, was_reset


class Mode:
    name = "NEXT_STEP"


class Vector:
    def __init__(self, mode: Any = None) -> None:
        self.metadata = {} if mode is None else {"autoreset_mode": mode}


class EnvPoolMixin:
    def __len__(self) -> int:
        return 4


def result(*ended: bool, ids: list[int] | None = None) -> tuple[Any, ...]:
    flags = np.array(ended, bool)
    info = {} if ids is None else {"env_id": np.array(ids)}
    return 0, np.ones(len(ended)), flags, flags & False, info


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        (Vector(Mode()), True),
        (Vector("NextStep"), True),
        (Vector("SAME_STEP"), False),
        (Vector(), False),
        (EnvPoolMixin(), True),
        (object.__new__(type("Slotted", (), {"metadata": 3})), False),
    ],
)
def test_who_does_so(env: Any, expected: bool) -> None:
    assert resets_with_next_step(env) is expected


def test_a_wrapper_and_what_it_wraps_are_one() -> None:
    inner, wrapper = Vector("NextStep"), Vector("NextStep")
    wrapper.unwrapped = inner  # type: ignore[attr-defined]
    assert only_reset(wrapper, result(True, False)) == 0
    assert only_reset(inner, result(False, False)) == 1


def test_answers_of_some_environments() -> None:
    pool = EnvPoolMixin()
    assert only_reset(pool, result(True, True, ids=[2, 3])) == 0
    assert only_reset(pool, result(False, False, ids=[0, 1])) == 0
    assert only_reset(pool, result(False, False, ids=[1, 3])) == 1
    assert only_reset(pool, result(False, False, ids=[2, 3])) == 1


def test_after_an_asynchronous_reset_the_first_answers_are_of_it() -> None:
    pool = EnvPoolMixin()
    was_reset(pool, len(pool))
    assert only_reset(pool, result(False, False, ids=[0, 1])) == 2
    assert only_reset(pool, result(False, False, ids=[0, 2])) == 1


def test_a_reset_of_some_leaves_the_others() -> None:
    env: Any = Vector("NextStep")
    only_reset(env, result(True, True))
    env._autoreset_envs = np.array([False, True])
    was_reset(env)
    assert only_reset(env, result(False, False)) == 1


def test_gymnasium_itself() -> None:
    gym = pytest.importorskip("gymnasium")
    vector = pytest.importorskip("gymnasium.vector")
    if not hasattr(vector, "AutoresetMode"):
        pytest.skip("an older Gymnasium")

    class Short(gym.Env):  # type: ignore[misc]
        observation_space = gym.spaces.Discrete(2)
        action_space = gym.spaces.Discrete(2)
        played = 0

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            self.left = 3
            return 0, {}

        def step(self, action: Any) -> Any:
            type(self).played += 1
            self.left -= 1
            return 0, 0.0, self.left == 0, False, {}

    envs = vector.SyncVectorEnv([Short, Short])
    envs.reset()
    counted = 0
    for _ in range(11):
        answer = envs.step([0, 0])
        counted += 2 - only_reset(envs, answer)
    assert counted == Short.played
