"""The batch of Snake boards as a vector environment: seeds, resets, checkpoints, bad calls."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from tests.unit.games.snake.playing import careful

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.games.dice import Dice
from goldsplit.games.snake.snake_rules import SnakeOptionError


def made(num_envs: int = 8, **options: Any) -> Any:
    return gymnasium.make_vec("goldsplit/Snake-batch-v0", num_envs=num_envs, **options)


def play(batch: Any, observations: Any, turns: int, dice: Dice) -> list[Any]:
    """The answers of some turns; the last observations are in the last answer."""
    answers = []
    for _ in range(turns):
        answers.append(batch.step(careful(observations, dice)))
        observations = answers[-1][0]
    return answers


def test_a_board_begins_again_in_the_step_after_its_end() -> None:
    batch = made(4)
    assert batch.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    batch.reset(seed=1)
    straight = np.zeros(4, np.int64)
    while True:
        _, rewards, terminated, _, infos = batch.step(straight)
        if terminated.any():
            break
    ended = terminated.copy()
    assert (rewards[ended] == -1).all()
    assert infos["reason"][ended].tolist() == ["wall"] * ended.sum()
    assert infos["_reason"].tolist() == ended.tolist()
    observations, rewards, terminated, truncated, infos = batch.step(straight)
    assert (rewards[ended] == 0).all()
    assert not (terminated[ended] | truncated[ended]).any()
    assert (infos["steps"][ended] == 0).all()
    assert (infos["length"][ended] == 3).all()
    assert (observations[ended, 17] == 0).all()


def test_seeds_count_up_or_are_given_as_a_list() -> None:
    first, second = made(3), made(3)
    assert np.array_equal(first.reset(seed=5)[0], second.reset(seed=[5, 6, 7])[0])
    assert not np.array_equal(first.reset(seed=5)[0], second.reset(seed=[5, 6, 8])[0])
    with pytest.raises(SnakeOptionError, match=r"2 seeds for 3 boards\nhint: "):
        first.reset(seed=[1, 2])


def test_a_reset_without_a_seed_goes_on_with_the_dice() -> None:
    first, second = made(3), made(3)
    first.reset(seed=5)
    second.reset(seed=5)
    assert np.array_equal(first.reset()[0], second.reset()[0])
    assert not np.array_equal(first.reset()[0], second.reset(seed=5)[0])
    assert not np.array_equal(made(3).reset()[0], made(3).reset()[0])


def test_a_saved_state_goes_on_as_the_game_would_have() -> None:
    batch, other = made(flood_fill=True, hunger_limit=20), made(flood_fill=True, hunger_limit=20)
    dice = Dice(3)
    last = play(batch, batch.reset(seed=3)[0], 60, dice)[-1][0]
    state = pickle.loads(pickle.dumps(batch.state()))
    dice_now = dice.state
    straight_on = play(batch, last, 60, dice)
    assert any(answer[2].any() for answer in straight_on)
    dice.state = dice_now
    assert np.array_equal(other.restore(state), last)
    resumed = play(other, last, 60, dice)
    for one, two in zip(straight_on, resumed, strict=True):
        for part in range(4):
            assert np.array_equal(one[part], two[part])


def test_a_state_is_a_copy() -> None:
    batch = made()
    observations = batch.reset(seed=1)[0]
    state = batch.state()
    play(batch, observations, 5, Dice(1))
    assert np.array_equal(batch.restore(state), observations)
    play(batch, observations, 5, Dice(1))
    assert np.array_equal(batch.restore(state), observations)


@pytest.mark.parametrize("other", [{"num_envs": 7}, {"size": 10}], ids=str)
def test_a_state_of_other_boards_is_refused(other: dict[str, int]) -> None:
    batch, wrong = made(), made(**other)
    batch.reset(seed=1)
    with pytest.raises(
        SnakeOptionError, match=r"does not fit .*\nhint: restore it into a batch with the same"
    ):
        wrong.restore(batch.state())


def test_calls_before_the_first_reset_are_refused() -> None:
    with pytest.raises(SnakeOptionError, match="hint: call reset"):
        made(2).step(np.zeros(2, np.int64))
    with pytest.raises(SnakeOptionError, match="hint: call reset"):
        made(2).state()


def test_actions_must_fit_the_boards() -> None:
    batch = made(4)
    batch.reset(seed=1)
    with pytest.raises(SnakeOptionError, match=r"shape \(3,\) do not fit 4 boards\nhint: "):
        batch.step(np.zeros(3, np.int64))
    batch.step([0, 1, 2, 9])


def test_a_batch_of_nothing_is_refused() -> None:
    with pytest.raises(SnakeOptionError, match="hint: choose num_envs of 1 or more"):
        made(0)


def test_what_a_step_returned_stays_as_it_was() -> None:
    batch = made()
    batch.reset(seed=1)
    kept = batch.step(np.zeros(8, np.int64))
    copies = [part.copy() for part in kept[:4]] + [kept[4]["length"].copy(), kept[4]["steps"].copy()]
    for _ in range(20):
        batch.step(np.ones(8, np.int64))
    now = [*kept[:4], kept[4]["length"], kept[4]["steps"]]
    assert all(np.array_equal(one, other) for one, other in zip(copies, now, strict=True))


def test_episodes_lengthen_with_skill() -> None:
    def steps_per_game(skilled: bool) -> float:
        batch, dice = made(32), Dice(4)
        observations, _ = batch.reset(seed=4)
        lengths: list[int] = []
        for _ in range(400):
            if skilled:
                actions = careful(observations, dice)
            else:
                actions = np.array([dice.below(3) for _ in range(32)])
            observations, _, terminated, truncated, infos = batch.step(actions)
            lengths += infos["steps"][terminated | truncated].tolist()
        return float(np.mean(lengths))

    assert steps_per_game(skilled=True) > 2 * steps_per_game(skilled=False)
