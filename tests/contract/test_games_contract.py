"""Every registered game fulfils one contract: checkers, masks, equal twins, seeds, saving, batches."""

from __future__ import annotations

import importlib.util
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env as check_for_gymnasium
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.env_checker import check_env as check_for_sb3

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.games.dice import Dice
from goldsplit.games.trajectory import Trajectory, played, row_info

pytestmark = pytest.mark.needs_torch

#: Options that let a game show all it has in a short time.
OPTIONS: dict[str, dict[str, Any]] = {"Snake": {"flood_fill": True, "size": 8}, "Retro": {"max_steps": 40}}
IDS = sorted(name for name in gymnasium.registry if name.startswith("goldsplit/"))
GAMES = sorted({name.split("/")[1].split("-")[0] for name in IDS})
SEED = 71
#: Their games live in another process, so that a checkpoint cannot hold them.
ELSEWHERE = {"Duel"}

Make = Callable[..., Any]


def needs_emulator(value: str) -> Any:
    """Retro is left out where its emulator is not installed."""
    missing = "Retro" in value and importlib.util.find_spec("ale_py") is None
    return pytest.param(value, marks=pytest.mark.skipif(missing, reason="ale-py is not installed"))


each_id = pytest.mark.parametrize("name", [needs_emulator(name) for name in IDS])
each_game = pytest.mark.parametrize("game", [needs_emulator(game) for game in GAMES])


@pytest.fixture(autouse=True)
def one_thread_of_torch() -> Iterator[None]:
    """Plain twins work on tiny tensors: threads that wait for each other only slow them."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes games, and closes them after the test."""
    opened: list[Any] = []

    def make_one(name: str, num_envs: int | None = None) -> Any:
        options = OPTIONS.get(name.split("/")[1].split("-")[0], {})
        if num_envs is None:
            opened.append(gymnasium.make(name, **options))
        else:
            opened.append(gymnasium.make_vec(name, num_envs=num_envs, **options))
        return opened[-1]

    yield make_one
    for env in opened:
        env.close()


def twin_of(game: str, twin: str) -> str:
    return f"goldsplit/{game}-{twin}-v0"


def valid_action(mask: Any, dice: Dice) -> int:
    valid = np.flatnonzero(mask)
    return int(valid[dice.below(len(valid))])


def equal(first: Any, second: Any) -> bool:
    """The same values of the same kinds, whatever they are nested in."""
    if isinstance(first, dict):
        return set(first) == set(second) and all(equal(first[key], second[key]) for key in first)
    if isinstance(first, tuple):
        return len(first) == len(second) and all(equal(*pair) for pair in zip(first, second, strict=True))
    one, other = np.asarray(first), np.asarray(second)
    return one.dtype.kind == other.dtype.kind and np.array_equal(one, other)


def test_each_game_has_three_twins() -> None:
    assert [twin_of(game, twin) for game in GAMES for twin in ("batch", "fast", "plain")] == IDS


@each_id
def test_the_checkers_have_no_objection(name: str, make: Make) -> None:
    game = make(name).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_for_gymnasium(game, skip_render_check=True)
        check_for_sb3(game, skip_render_check=True)


@each_id
def test_masks_say_what_is_valid(name: str, make: Make) -> None:
    game, dice = make(name).unwrapped, Dice(SEED)
    game.reset(seed=SEED)
    for _ in range(25):
        mask = game.action_masks()
        assert mask.shape == (game.action_space.n,)
        assert mask.dtype == np.bool_
        assert mask.any()
        observation, reward, terminated, truncated, _ = game.step(valid_action(mask, dice))
        assert game.observation_space.contains(observation)
        assert type(reward) is float
        assert type(terminated) is type(truncated) is bool
        if terminated or truncated:
            game.reset()


@each_id
def test_an_action_that_is_not_valid_is_survived(name: str, make: Make) -> None:
    game, dice = make(name).unwrapped, Dice(SEED)
    game.reset(seed=SEED)
    for _ in range(25):
        mask = game.action_masks()
        wrong = np.flatnonzero(~mask)
        action = int(wrong[dice.below(len(wrong))]) if len(wrong) else valid_action(mask, dice)
        observation, _, terminated, truncated, _ = game.step(action)
        assert game.observation_space.contains(observation)
        if terminated or truncated:
            game.reset()


@each_game
def test_the_twins_play_alike(game: str, make: Make) -> None:
    plain, fast = (
        played(make(twin_of(game, twin)), SEED, episodes=3, most_steps=400) for twin in ("plain", "fast")
    )
    assert (plain.episodes, plain.steps) == (fast.episodes, fast.steps)
    assert plain.digest() == fast.digest()


@each_game
def test_a_seed_decides_the_game(game: str, make: Make) -> None:
    name = twin_of(game, "fast")
    first, again, other = (played(make(name), seed, 2, 80).digest() for seed in (SEED, SEED, SEED + 1))
    assert first == again
    assert first != other


@each_id
def test_a_seed_works_in_a_used_game_and_a_reset_without_one_goes_on(name: str, make: Make) -> None:
    used, fresh = make(name), make(name)
    played(used, SEED + 5, episodes=1, most_steps=10)
    assert played(used, SEED, 2, 40).digest() == played(fresh, SEED, 2, 40).digest()
    used.reset(seed=SEED)
    fresh.reset(seed=SEED)
    for _ in range(3):
        assert equal(used.reset(), fresh.reset())


@each_id
def test_an_observation_is_the_callers_own(name: str, make: Make) -> None:
    game, dice = make(name).unwrapped, Dice(SEED)
    kept = game.reset(seed=SEED)[0]
    copy = kept.copy()
    for _ in range(5):
        _, _, terminated, truncated, _ = game.step(valid_action(game.action_masks(), dice))
        if terminated or truncated:
            game.reset()
    assert np.array_equal(kept, copy)


def went_on(env: Any, turns: int) -> str:
    """A hash of some more turns of a game that is being played."""
    game, dice, trajectory = env.unwrapped, Dice(SEED + 1), Trajectory()
    for _ in range(turns):
        answer = env.step(valid_action(game.action_masks(), dice))
        trajectory.stepped(answer, game.action_masks())
        if answer[2] or answer[3]:
            observation, info = env.reset()
            trajectory.began(observation, game.action_masks(), info)
    return trajectory.digest()


@each_id
def test_a_pickled_game_goes_on_as_the_game_itself(name: str, make: Make) -> None:
    """This is how the trainers' checkpoints keep single games."""
    env, dice = make(name), Dice(SEED)
    env.reset(seed=SEED)
    for _ in range(9):
        _, _, terminated, truncated, _ = env.step(valid_action(env.unwrapped.action_masks(), dice))
        if terminated or truncated:
            env.reset()
    try:
        saved = pickle.dumps(env)
    except (pickle.PicklingError, TypeError, AttributeError):
        assert name.split("/")[1].split("-")[0] in ELSEWHERE
        return
    wanted = went_on(env, 90)
    assert went_on(pickle.loads(saved), 90) == wanted


@each_game
def test_a_saved_batch_goes_on_as_the_batch_itself(game: str, make: Make) -> None:
    if game in ELSEWHERE:
        pytest.skip("a battle server's games cannot be saved")
    name = twin_of(game, "batch")
    batch, other = make(name, num_envs=3), make(name, num_envs=3)
    batch.reset(seed=SEED)
    other.reset(seed=SEED + 9)
    other.step(np.zeros(3, np.int64))

    def turns(games: Any, count: int, dice: Dice) -> list[Any]:
        return [
            games.step(np.array([valid_action(mask, dice) for mask in games.unwrapped.action_masks()]))
            for _ in range(count)
        ]

    turns(batch, 30, Dice(1))
    state = pickle.loads(pickle.dumps(batch.unwrapped.state()))
    wanted = turns(batch, 90, Dice(2))
    assert any((answer[2] | answer[3]).any() for answer in wanted) or game not in OPTIONS
    other.unwrapped.restore(state)
    assert all(equal(one, two) for one, two in zip(turns(other, 90, Dice(2)), wanted, strict=True))


@each_game
def test_rows_of_a_batch_are_single_games(game: str, make: Make) -> None:
    rows = range(3)
    batch = make(twin_of(game, "batch"), num_envs=3)
    singles = [make(twin_of(game, "fast")).unwrapped for _ in rows]
    assert batch.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, infos = batch.reset(seed=SEED)
    for row in rows:
        assert equal(singles[row].reset(seed=SEED + row), (observations[row], row_info(infos, row)))
    dice, ended, ends = Dice(SEED), np.zeros(3, bool), 0
    for _ in range(120):
        masks = batch.unwrapped.action_masks()
        actions = np.array([valid_action(mask, dice) for mask in masks])
        observations, rewards, terminated, truncated, infos = batch.step(actions)
        for row in rows:
            assert ended[row] or equal(masks[row], singles[row].action_masks())
            if ended[row]:
                observation, info = singles[row].reset()
                wanted = (observation, 0.0, False, False, info)
            else:
                wanted = singles[row].step(int(actions[row]))
            got = (observations[row], rewards[row], terminated[row], truncated[row], row_info(infos, row))
            assert all(equal(one, other) for one, other in zip(got, wanted, strict=True)), (row, got, wanted)
        ended = terminated | truncated
        ends += int(ended.sum())
    assert batch.unwrapped.action_masks().shape == (3, singles[0].action_space.n)
    assert game not in OPTIONS or ends > 0
