"""What happens on a board: the same rules for the plain and for the fast twin, seen through Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.unit.games.snake.playing import LEFT, RIGHT, STRAIGHT, careful

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.games.dice import Dice
from goldsplit.games.snake.snake_rules import FEATURES, FLOOD_FEATURES, SnakeOptionError, checked_options

TWINS = ["goldsplit/Snake-plain-v0", "goldsplit/Snake-fast-v0"]


@pytest.fixture(
    params=[pytest.param(TWINS[0], marks=pytest.mark.needs_torch), TWINS[1]], ids=["plain", "fast"]
)
def twin(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def made(twin: str, **options: Any) -> Any:
    return gymnasium.make(twin, **options).unwrapped


def by_name(game: Any, observation: Any) -> dict[str, float]:
    return dict(zip(game.options.features, observation.tolist(), strict=True))


def grown(game: Any, length: int) -> Any:
    """Play from some seed until the snake has a length; the last observation."""
    for seed in range(50):
        dice = Dice(seed)
        observation, _ = game.reset(seed=seed)
        for _ in range(300):
            action = int(careful(observation[None], dice)[0])
            observation, _, terminated, truncated, info = game.step(action)
            if terminated or truncated:
                break
            if info["length"] == length:
                return observation
    raise AssertionError(f"no snake of length {length}")


def test_a_game_begins_with_a_short_snake_and_food(twin: str) -> None:
    game = made(twin, flood_fill=True)
    for seed in range(20):
        observation, info = game.reset(seed=seed)
        seen = by_name(game, observation)
        assert info == {"length": 3, "steps": 0}
        assert game.observation_space.contains(observation)
        assert sum(seen[f"going {way}"] for way in ("up", "right", "down", "left")) == 1
        assert seen["food ahead"] != 0 or seen["food aside"] != 0
        assert seen["length"] == np.float32(3 / 144)
        assert seen["danger straight"] == 0


def test_straight_on_ends_at_the_wall(twin: str) -> None:
    game = made(twin)
    observation, _ = game.reset(seed=2)
    room = round(by_name(game, observation)["room straight"] * 12)
    moves = 0
    terminated = False
    while not terminated:
        danger = observation[0]
        observation, reward, terminated, truncated, info = game.step(STRAIGHT)
        moves += 1
        assert not truncated
        assert (danger == 1) == terminated
    assert (reward, info["reason"], info["steps"]) == (-1.0, "wall", moves)
    assert moves == room + 1


def test_food_feeds(twin: str) -> None:
    game = made(twin)
    observation, dice = game.reset(seed=3)[0], Dice(3)
    for _ in range(100):
        before = by_name(game, observation)
        observation, reward, *_, info = game.step(int(careful(observation[None], dice)[0]))
        after = by_name(game, observation)
        if info["length"] == 4:
            break
        assert reward == (0.01 if distance(after) < distance(before) else -0.01)
        assert after["hunger"] == np.float32(info["steps"] / 144)
    assert reward == 1.0
    assert after["hunger"] == 0
    assert distance(before) == 1
    assert after["length"] == np.float32(4 / 144)


def distance(seen: dict[str, float]) -> int:
    return round(12 * (abs(seen["food ahead"]) + abs(seen["food aside"])))


def test_the_sides_of_the_food_agree_with_its_offsets(twin: str) -> None:
    game = made(twin)
    for seed in range(20):
        seen = by_name(game, game.reset(seed=seed)[0])
        ways = ["up", "right", "down", "left"]
        sides = ["food above", "food to the right", "food below", "food to the left"]
        going = next(k for k, way in enumerate(ways) if seen[f"going {way}"])
        assert seen[sides[going]] == (seen["food ahead"] > 0)
        assert seen[sides[(going + 2) % 4]] == (seen["food ahead"] < 0)
        assert seen[sides[(going + 1) % 4]] == (seen["food aside"] > 0)
        assert seen[sides[(going + 3) % 4]] == (seen["food aside"] < 0)


def test_the_end_of_the_tail_moves_away(twin: str) -> None:
    """Four cells fit into a square of two by two: the head follows the tail's end for ever."""
    game = made(twin)
    grown(game, 4)
    for _ in range(4):
        game.step(LEFT)
    ended = [game.step(LEFT)[2] for _ in range(8)]
    assert not any(ended)


def test_a_longer_snake_bites_itself(twin: str) -> None:
    game = made(twin)
    grown(game, 6)
    for turn in (RIGHT, LEFT):
        observation = grown(game, 6)
        for _ in range(4):
            danger = observation[turn]
            observation, reward, terminated, _, info = game.step(turn)
            assert (danger == 1) == terminated
            if terminated:
                break
        assert terminated
        assert reward == -1.0
        if info["reason"] == "body":
            return
    raise AssertionError("met the wall on both sides")


def test_a_hungry_game_is_truncated(twin: str) -> None:
    game = made(twin, hunger_limit=7)
    for seed in range(20):
        game.reset(seed=seed)
        answers = [game.step(RIGHT) for _ in range(6)]
        if any(answer[4]["length"] > 3 for answer in answers):
            continue
        assert not any(answer[2] or answer[3] for answer in answers)
        observation, reward, terminated, truncated, info = game.step(RIGHT)
        if info["length"] == 3:
            break
    assert (terminated, truncated, info["reason"], info["steps"]) == (False, True, "hunger", 7)
    assert abs(reward) == 0.01
    assert by_name(game, observation)["hunger"] == 1.0


def test_an_open_board_can_be_reached_as_a_whole(twin: str) -> None:
    game = made(twin, flood_fill=True)
    seen = by_name(game, game.reset(seed=5)[0])
    # The tail's end moves away: a snake of three blocks two cells.
    assert {seen[name] for name in FLOOD_FEATURES} == {np.float32(142 / 144)}


def test_a_way_that_is_blocked_reaches_nothing(twin: str) -> None:
    game = made(twin, flood_fill=True)
    observation = grown(game, 8)
    looked = 0
    for _ in range(200):
        seen = by_name(game, observation)
        for side in ("straight", "right", "left"):
            assert (seen[f"danger {side}"] == 1) == (seen[f"area {side}"] == 0) == (seen[f"room {side}"] == 0)
            looked += seen[f"danger {side}"] == 1
        observation, _, terminated, truncated, _ = game.step(STRAIGHT)
        if terminated or truncated:
            break
    assert looked


def test_without_flood_fill_the_observation_is_shorter(twin: str) -> None:
    long, short = made(twin, flood_fill=True), made(twin)
    assert long.options.features == FEATURES + FLOOD_FEATURES
    assert np.array_equal(long.reset(seed=1)[0][: len(FEATURES)], short.reset(seed=1)[0])


@pytest.mark.parametrize("action", [-1, 3, 99])
def test_an_action_that_does_not_exist_goes_straight_on(twin: str, action: int) -> None:
    first, second = made(twin), made(twin)
    first.reset(seed=4)
    second.reset(seed=4)
    assert np.array_equal(first.step(action)[0], second.step(STRAIGHT)[0])


def test_an_observation_stays_as_it_was_returned(twin: str) -> None:
    game = made(twin)
    kept = game.reset(seed=6)[0]
    copy = kept.copy()
    next_one = game.step(RIGHT)[0]
    assert np.array_equal(kept, copy)
    assert not np.array_equal(kept, next_one)


def test_a_step_without_a_game_is_refused(twin: str) -> None:
    game = made(twin)
    with pytest.raises(SnakeOptionError, match=r"no game to move in\nhint: call reset"):
        game.step(STRAIGHT)
    game.reset(seed=2)
    while not game.step(STRAIGHT)[2]:
        pass
    with pytest.raises(SnakeOptionError, match="hint: call reset"):
        game.step(STRAIGHT)


def test_games_that_were_never_seeded_differ(twin: str) -> None:
    beginnings = {made(twin).reset()[0].tobytes() for _ in range(8)}
    assert len(beginnings) > 1


@pytest.mark.parametrize("size", [4, 33, -1])
def test_boards_of_other_sizes_are_refused(twin: str, size: int) -> None:
    with pytest.raises(SnakeOptionError, match=r"not offered\nhint: choose a size from 5 to 32"):
        made(twin, size=size)


def test_a_hunger_limit_of_nothing_is_refused() -> None:
    with pytest.raises(SnakeOptionError, match="hint: choose 1 or more"):
        checked_options(12, False, 0)


def test_the_hunger_limit_is_the_number_of_cells_by_default() -> None:
    assert checked_options(16, True, None).hunger_limit == 256
