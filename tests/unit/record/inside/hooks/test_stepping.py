"""Counting steps and episodes, at the outermost environment only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.hooks.stepping import (
    after_env_step,
    after_vector_reset,
    after_vector_step,
    counted_as,
)


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


def test_the_vector_environment_counts_and_not_its_wrappers(state: ThreadState) -> None:
    """A world of the user's around a vector environment gives rows that only begin a game as steps."""
    from_vector = (0, np.ones(8), np.zeros(8, bool), np.zeros(8, bool), {})
    for only_begun in (0, 3):
        outer = state.enter("env.step")
        middle = state.enter("env.reward")
        inner = state.enter("vec.copy")
        state.leave(inner)
        rows = tuple(part[only_begun:] if isinstance(part, np.ndarray) else part for part in from_vector)
        after_vector_step(state, inner, (Game(),), rows)
        state.leave(middle)
        state.leave(outer)
        after_env_step(state, outer, (Game(),), from_vector)
    assert state.counts == {"vec_env_steps": 8 + 5, "vec_episodes": 0}


def test_a_vector_that_is_only_tried_in_a_step_takes_over_nothing(state: ThreadState) -> None:
    result = (0, np.ones(8), np.zeros(8, bool), np.zeros(8, bool), {})
    path = [state.enter(stage) for stage in ("env.step", "env.opponent", "vec.copy")]
    state.leave(path[2])
    after_vector_step(state, path[2], (Game(),), result)
    state.leave(path[1])
    state.leave(path[0])
    after_env_step(state, path[0], (Game(),), (0, 1.0, False, False, {}))
    assert state.counts == {"own_env_steps": 1, "own_episodes": 0}


def test_an_odd_result_is_one_step(state: ThreadState, step: Any) -> None:
    step((0, 0.0, [True, False], [False], {}))  # two environments or one?
    assert state.counts == {"own_env_steps": 1}


def test_what_a_place_counts_as(state: ThreadState) -> None:
    node = state.child(state.child(state.root, "rollout"), "env.step")
    assert counted_as(node, "") == "own_"
    assert counted_as(state.child(state.child(state.root, "eval"), "vec.copy"), "vec_") == "eval_vec_"
    assert counted_as(state.child(node, "env.step"), "") == ""
    opponent = state.child(state.child(state.root, "rollout"), "env.opponent")
    assert counted_as(state.child(opponent, "env.step"), "") == ""  # a move that its look-ahead tries


class NextStep:
    """A vector environment that resets ended ones with the next step."""

    metadata = {"autoreset_mode": "NextStep"}  # noqa: RUF012


def test_steps_that_only_reset_are_not_counted(state: ThreadState) -> None:
    envs = NextStep()
    node = state.child(state.root, "vec.copy")
    ended = np.array([True, False, True]), np.zeros(3, bool)
    running = np.zeros(3, bool), np.zeros(3, bool)
    after_vector_step(state, node, (envs, 0), (0, np.ones(3), *ended, {}))
    assert state.counts == {"vec_env_steps": 3, "vec_episodes": 2}
    after_vector_step(state, node, (envs, 0), (0, np.ones(3), *running, {}))
    assert state.counts == {"vec_env_steps": 4, "vec_episodes": 2}
    after_vector_step(state, node, (envs, 0), (0, np.ones(3), *running, {}))
    assert state.counts["vec_env_steps"] == 7
    assert node.steps_key is None  # the core would count all of them


def test_after_a_reset_by_hand_no_step_only_resets(state: ThreadState) -> None:
    envs = NextStep()
    node = state.child(state.root, "vec.copy")
    ended = np.array([True, True]), np.zeros(2, bool)
    after_vector_step(state, node, (envs, 0), (0, np.ones(2), *ended, {}))
    after_vector_reset(state, node, (envs,), (0, {}))
    after_vector_step(state, node, (envs, 0), (0, np.ones(2), *ended, {}))
    assert state.counts == {"vec_env_steps": 4, "vec_episodes": 4}
