"""The batch of Skirmish games as a vector environment: seeds, resets, checkpoints, bad calls."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from tests.unit.games.skirmish.playing import BATCH, FAST, PLAIN, aggressive

from goldsplit.games.skirmish.game_terms import SkirmishCallError


def made(num_envs: int = 8, **options: Any) -> Any:
    return gymnasium.make_vec(BATCH, num_envs=num_envs, **options).unwrapped


def play(batch: Any, turns: int, first: int = 0) -> list[Any]:
    """The answers of some turns."""
    return [batch.step(aggressive(batch.action_masks(), turn)) for turn in range(first, first + turns)]


def test_a_game_begins_again_in_the_step_after_its_end() -> None:
    batch = made(4)
    assert batch.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    batch.reset(seed=1)
    while True:
        _, rewards, terminated, _, infos = play(batch, 1)[0]
        if terminated.any():
            break
    ended = terminated.copy()
    assert set(infos["winner"][ended]) <= {"agent", "bot", "draw"}
    assert set(infos["winner"][~ended]) <= {""}
    assert (infos["active"][ended] == -1).all()
    assert batch.action_masks()[ended].sum(axis=1).tolist() == [1] * ended.sum()
    _, rewards, terminated, truncated, infos = play(batch, 1)[0]
    assert (rewards[ended] == 0).all()
    assert not (terminated[ended] | truncated[ended]).any()
    assert (infos["steps"][ended] == 0).all()
    assert (infos["turn"][ended] == 1).all()
    assert set(infos["winner"][ended]) == {""}


def test_seeds_count_up_or_are_given_as_a_list() -> None:
    first, second = made(3), made(3)
    assert np.array_equal(first.reset(seed=5)[0], second.reset(seed=[5, 6, 7])[0])
    assert not np.array_equal(first.reset(seed=5)[0], second.reset(seed=[5, 6, 8])[0])
    with pytest.raises(SkirmishCallError, match=r"2 seeds for 3 games\nhint: "):
        first.reset(seed=[1, 2])


def test_a_reset_without_a_seed_goes_on_with_the_dice() -> None:
    first, second = made(3), made(3)
    first.reset(seed=5)
    second.reset(seed=5)
    assert np.array_equal(first.reset()[0], second.reset()[0])
    assert not np.array_equal(first.reset()[0], second.reset(seed=5)[0])
    assert not np.array_equal(made(3).reset()[0], made(3).reset()[0])


def test_a_saved_state_goes_on_as_the_game_would_have() -> None:
    batch, other = made(), made()
    batch.reset(seed=3)
    last = play(batch, 30)[-1][0]
    state = pickle.loads(pickle.dumps(batch.state()))
    straight_on = play(batch, 60, first=30)
    assert any(answer[2].any() for answer in straight_on)
    assert np.array_equal(other.restore(state), last)
    for one, two in zip(straight_on, play(other, 60, first=30), strict=True):
        assert all(np.array_equal(one[part], two[part]) for part in range(4))
        assert all(np.array_equal(one[4][key], two[4][key]) for key in one[4])


def test_a_state_is_a_copy() -> None:
    batch = made()
    observations = batch.reset(seed=1)[0]
    state = batch.state()
    for _ in range(2):
        play(batch, 5)
        assert np.array_equal(batch.restore(state), observations)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"num_envs": 7}, "its 'cell' is missing or has another shape"),
        ({"scenario": "woods"}, "not of the scenario 'woods'"),
    ],
)
def test_a_state_of_other_games_is_refused(other: dict[str, Any], message: str) -> None:
    batch, wrong = made(), made(**other)
    batch.reset(seed=1)
    with pytest.raises(SkirmishCallError, match=rf"{message}\nhint: restore it into"):
        wrong.restore(batch.state())


@pytest.mark.parametrize("twin", [PLAIN, FAST])
def test_a_single_game_can_be_pickled_in_its_middle(twin: str) -> None:
    game = gymnasium.make(twin).unwrapped
    game.reset(seed=2)
    for turn in range(20):
        game.step(int(aggressive(game.action_masks()[None], turn)[0]))
    copy = pickle.loads(pickle.dumps(game))
    for turn in range(20, 26):
        action = int(aggressive(game.action_masks()[None], turn)[0])
        one, two = game.step(action), copy.step(action)
        assert np.array_equal(one[0], two[0])
        assert one[1:] == two[1:]


def test_calls_before_the_first_reset_are_refused() -> None:
    for refused in (lambda: made(2).step(np.zeros(2, np.int64)), lambda: made(2).state()):
        with pytest.raises(SkirmishCallError, match="hint: call reset"):
            refused()
    for twin in (PLAIN, FAST):
        with pytest.raises(SkirmishCallError, match="hint: call reset"):
            gymnasium.make(twin).unwrapped.step(0)


def test_actions_must_fit_the_games() -> None:
    batch = made(4)
    batch.reset(seed=1)
    with pytest.raises(SkirmishCallError, match=r"shape \(3,\) do not fit 4 games\nhint: "):
        batch.step(np.zeros(3, np.int64))
    batch.step([0, 12, -5, 99])


def test_an_opponent_must_answer_for_every_game() -> None:
    batch = made(6)
    batch.set_opponent(lambda observations, masks: np.zeros(len(masks) + 1, np.int64))
    with pytest.raises(SkirmishCallError, match=r"policy gave actions of shape .*\nhint: it must give one"):
        batch.reset(seed=1)


def test_a_batch_of_nothing_is_refused() -> None:
    with pytest.raises(SkirmishCallError, match="hint: choose num_envs of 1 or more"):
        made(0)


def test_what_a_step_returned_stays_as_it_was() -> None:
    batch = made()
    batch.reset(seed=1)
    kept = play(batch, 1)[0]
    copies = [part.copy() for part in kept[:4]] + [kept[4][key].copy() for key in kept[4]]
    play(batch, 20)
    now = [*kept[:4], *kept[4].values()]
    assert all(np.array_equal(one, other) for one, other in zip(copies, now, strict=True))


def test_every_number_of_the_information_is_an_array_of_all_games() -> None:
    batch = made(5)
    _, infos = batch.reset(seed=1)
    keys = [key for key in infos if not key.startswith("_")]
    assert len(keys) == 23
    for key in keys:
        assert infos[key].shape == (5,)
        assert infos[f"_{key}"].all()
