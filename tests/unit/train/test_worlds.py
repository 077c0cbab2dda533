"""The worlds of both surroundings play the same games: steps, resets, ends, states, opponents."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from tests.unit.train.countdown_game import make

from goldsplit.train.errors import TrainError
from goldsplit.train.options import DqnOptions
from goldsplit.train.plain_world import PlainWorld
from goldsplit.train.surroundings import make_world
from goldsplit.train.vector_world import PlainVectorWorld, VectorWorld, shared_games
from goldsplit.train.worlds import NO_WINNER, Tally, World, spaces_of, won

ENVS = 4


def worlds() -> dict[str, World]:
    return {
        "objects": PlainWorld(make, ENVS),
        "pipes": PlainWorld(make, ENVS, subprocess=True),
        "shared": VectorWorld(shared_games(make, ENVS, subprocess=False), "countdown"),
    }


def test_all_worlds_play_the_same_games() -> None:
    """The same seeds and actions, and a step that only begins the next game after each end."""
    made = worlds()
    try:
        begun = {name: world.reset(7) for name, world in made.items()}
        dice = np.random.default_rng(0)
        for obs, masks in begun.values():
            np.testing.assert_array_equal(obs, begun["objects"][0])
            np.testing.assert_array_equal(masks, begun["objects"][1])
        masks = begun["objects"][1]
        over, ended = np.zeros(ENVS, bool), 0
        for _ in range(40):
            actions = np.array([dice.choice(np.flatnonzero(mask)) for mask in masks])
            turns = {name: world.step(actions) for name, world in made.items()}
            first = turns["objects"]
            for turn in turns.values():
                for part, expected in zip(turn, first, strict=True):
                    if isinstance(expected, np.ndarray):
                        np.testing.assert_array_equal(part, expected)
                        assert part.dtype == expected.dtype
                assert turn.ended == first.ended
            assert (first.played == ~over).all()
            assert first.masks[first.ends].all()
            assert (first.rewards[~first.played] == 0).all()
            np.testing.assert_array_equal(first.final_obs, first.obs[first.ends])
            over, masks = first.ends, first.masks
            ended += len(first.ended)
        assert ended > 20
    finally:
        for world in made.values():
            world.close()


def test_returns_lengths_and_winners_of_games() -> None:
    world = PlainWorld(make, ENVS)
    world.reset(1)
    episodes = [episode for _ in range(60) for episode in world.step(np.ones(ENVS, np.int64)).ended]
    assert len(episodes) > 40
    for episode in episodes:
        assert episode.total == pytest.approx(1.5 * episode.length)
        assert episode.won == (episode.length % 2 == 1)


def test_random_actions_are_valid_and_all_valid_ones_come() -> None:
    for name, world in worlds().items():
        world.reset(3)
        seen = np.zeros((ENVS, 3), bool)
        for _ in range(60):
            actions = world.sample_actions()
            seen[np.arange(ENVS), actions] = True
            assert world.sample_actions([1, 2]).shape == (2,)
            world.step(actions)  # which refuses masked ones
        assert seen.all(), name
        world.close()


@pytest.mark.parametrize("game", ["snake size=6", "CartPole-v1"])
@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_games_go_on_from_a_state(game: str, surroundings: str) -> None:
    options = DqnOptions(game=game, envs=3, surroundings=surroundings)  # type: ignore[arg-type]
    world = make_world(options)
    world.reset(5)
    for _ in range(9):
        world.step(world.sample_actions())
    state = world.state()
    if surroundings == "fast" and game == "CartPole-v1":
        assert state is None  # games in shared memory cannot be saved
        return
    saved = pickle.dumps(state)
    again = make_world(options)
    again.reset(0)
    again.restore(pickle.loads(saved))
    for _ in range(30):
        actions = world.sample_actions()
        assert actions.tolist() == again.sample_actions().tolist()
        one, other = world.step(actions), again.step(actions)
        np.testing.assert_array_equal(one.obs, other.obs)
        np.testing.assert_array_equal(one.rewards, other.rewards)
        np.testing.assert_array_equal(one.played, other.played)
        assert one.ended == other.ended
    world.close()
    again.close()


def test_games_in_other_processes_cannot_be_saved() -> None:
    world = PlainWorld(make, 1, subprocess=True)
    world.reset(0)
    assert world.state() is None
    world.close()


def test_an_error_of_a_worker_arrives() -> None:
    world = PlainWorld(make, 1, subprocess=True)
    world.reset(0)
    with pytest.raises(AssertionError, match="a masked action was played"):
        world.step(np.array([2]))
    world.close()


def first_action(obs: Any, masks: Any) -> Any:
    return np.zeros(len(obs), np.int64)


def test_an_opponent_reaches_every_game() -> None:
    world = PlainWorld(make, 2)
    world.set_opponent(first_action)
    assert all(slot.env.rival is first_action for slot in world.slots)


@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_a_fixed_opponent_is_said_to_be_one(surroundings: str) -> None:
    world = make_world(DqnOptions(game="snake", envs=2, surroundings=surroundings))  # type: ignore[arg-type]
    with pytest.raises(TrainError, match=r"self-play needs set_opponent.*\nhint: train with self_play=0"):
        world.set_opponent(first_action)
    lone = PlainWorld(lambda: gymnasium.make("CartPole-v1"), 1, name="CartPole-v1")
    with pytest.raises(TrainError, match="the opponent of CartPole-v1 is fixed"):
        lone.set_opponent(first_action)


def test_which_world_the_options_choose() -> None:
    assert isinstance(make_world(DqnOptions(game="snake", envs=2, surroundings="plain")), PlainVectorWorld)
    lone = make_world(DqnOptions(game="CartPole-v1", envs=2, surroundings="plain"))
    assert isinstance(lone, PlainWorld)
    lone.close()
    fast = make_world(DqnOptions(game="snake size=7 flood_fill=true", envs=2))
    assert isinstance(fast, VectorWorld)
    assert fast.games.unwrapped.options.size == 7  # type: ignore[attr-defined]
    assert fast.shape == (21,)


def test_options_that_the_game_does_not_have_are_refused() -> None:
    for surroundings in ("plain", "fast"):
        options = DqnOptions(game="snake colour=red", envs=2, surroundings=surroundings)  # type: ignore[arg-type]
        with pytest.raises(TrainError, match=r"snake takes no such options: colour=red.*\nhint: "):
            make_world(options)


def test_other_autoresets_are_refused() -> None:
    class SameStep(gymnasium.vector.SyncVectorEnv):
        metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}

    games = SameStep([make], autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)
    with pytest.raises(TrainError, match="the trainers expect NEXT_STEP"):
        VectorWorld(games, "countdown")


def test_spaces_that_trainers_cannot_play_are_refused() -> None:
    box, discrete = spaces.Box(0, 1, (3,), np.float64), spaces.Discrete(4)
    assert spaces_of(box, discrete, "game") == ((3,), np.float32, 4)
    assert spaces_of(spaces.Box(0, 255, (3, 84, 84), np.uint8), discrete, "game")[1] is np.uint8
    with pytest.raises(TrainError, match="not an array"):
        spaces_of(spaces.Dict({"a": box}), discrete, "game")
    with pytest.raises(TrainError, match="need a Discrete space from 0 on"):
        spaces_of(box, spaces.Discrete(3, start=1), "game")


@pytest.mark.parametrize(
    ("winner", "expected"),
    [("agent", True), ("Player", True), ("bot", False), (None, False), (True, True), (np.False_, False)],
)
def test_who_won(winner: Any, expected: bool) -> None:
    assert won(winner) is expected
    assert won(NO_WINNER) is None


def test_a_tally_begins_anew_with_each_game() -> None:
    tally = Tally(2)
    for _ in range(3):
        tally.add(np.array([1.0, 2.0]), np.array([True, True]))
    assert tally.take(1, "agent") == (1, 6.0, 3, True)
    tally.add(np.array([1.0, 0.0]), np.array([True, False]))
    assert tally.take(0, NO_WINNER) == (0, 4.0, 4, None)
    assert tally.take(1, NO_WINNER) == (1, 0.0, 0, None)
