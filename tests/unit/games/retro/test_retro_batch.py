"""The batch of Retro as a vector environment: seeds, resets, saved games, bad calls."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.games.retro.retro_rules import RetroError

pytest.importorskip("ale_py")


def made(num_envs: int = 3, **options: Any) -> Any:
    return gymnasium.make_vec("goldsplit/Retro-batch-v0", num_envs=num_envs, **options)


def test_a_game_begins_again_in_the_step_after_its_end() -> None:
    batch = made(2, max_steps=2)
    assert batch.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    batch.reset(seed=1)
    steps, ends = [], []
    for _ in range(4):
        _, _, terminated, truncated, infos = batch.step([0, 0])
        assert not terminated.any()
        steps.append(infos["steps"].tolist())
        ends.append(truncated.tolist())
    assert steps == [[1, 1], [2, 2], [0, 0], [1, 1]]
    assert ends == [[False] * 2, [True] * 2, [False] * 2, [False] * 2]
    assert infos["end_reason"].tolist() == ["", ""]


def test_seeds_count_up_or_are_given_as_a_list() -> None:
    first, second = made(), made()
    assert np.array_equal(first.reset(seed=5)[0], second.reset(seed=[5, 6, 7])[0])
    with pytest.raises(RetroError, match=r"2 seeds for 3 games\nhint: "):
        first.reset(seed=[1, 2])


def test_what_a_step_returned_stays_as_it_was() -> None:
    batch = made()
    batch.reset(seed=1)
    kept = batch.step([5, 5, 5])
    arrays = [*kept[:4], *kept[4].values()]
    copies = [part.copy() for part in arrays]
    for _ in range(8):
        batch.step([5, 3, 4])
    assert all(np.array_equal(one, other) for one, other in zip(arrays, copies, strict=True))


def test_a_saved_state_has_the_last_observations() -> None:
    batch, other = made(), made()
    batch.reset(seed=4)
    for action in (5, 5, 3, 3, 3, 4):
        observations = batch.step([action, action, 0])[0]
    state = pickle.loads(pickle.dumps(batch.unwrapped.state()))
    assert np.array_equal(other.unwrapped.restore(state), observations)
    assert np.array_equal(other.step([5, 5, 5])[0], batch.step([5, 5, 5])[0])


def test_a_state_that_does_not_fit_is_refused() -> None:
    batch = made(2)
    with pytest.raises(RetroError, match=r"no game to save\nhint: call reset"):
        batch.unwrapped.state()
    batch.reset(seed=1)
    with pytest.raises(RetroError, match=r"2 games does not fit 3\nhint: "):
        made(3).unwrapped.restore(batch.unwrapped.state())


@pytest.mark.parametrize("actions", [[0], [0, 0, 18], [0, -1, 0], [[0, 0, 0]]], ids=str)
def test_actions_that_do_not_fit_are_refused(actions: list[Any]) -> None:
    batch = made()
    batch.reset(seed=1)
    with pytest.raises(RetroError, match="hint: actions are whole numbers from 0 to 17"):
        batch.step(actions)


def test_a_batch_that_has_not_begun_and_a_batch_of_nothing_are_refused() -> None:
    with pytest.raises(RetroError, match="hint: call reset"):
        made().step([0, 0, 0])
    with pytest.raises(RetroError, match="hint: give the number of games"):
        made(0)
