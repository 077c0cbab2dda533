"""Names of games: short ones, ids, options behind them, and answers to wrong ones."""

from __future__ import annotations

import pytest

from goldsplit.train.errors import TrainError
from goldsplit.train.game_ids import SHORT_NAMES, find_game


def test_a_short_name_stands_for_three_twins() -> None:
    ids = find_game("Snake")
    assert ids.name == "snake"
    assert ids[1:4] == ("goldsplit/Snake-plain-v0", "goldsplit/Snake-fast-v0", "goldsplit/Snake-batch-v0")
    assert ids.has_batch
    assert ids.arguments == {}


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_all_games_have_their_ids(name: str) -> None:
    assert find_game(name).plain.startswith("goldsplit/")


def test_any_registered_id_is_a_game_without_twins() -> None:
    ids = find_game("CartPole-v1")
    assert ids.plain == ids.fast == ids.batch == "CartPole-v1"
    assert not ids.has_batch


def test_options_of_the_game_follow_its_name() -> None:
    ids = find_game("snake size=8 flood_fill=true hunger_limit=30 note=hello")
    assert ids.arguments == {"size": 8, "flood_fill": True, "hunger_limit": 30, "note": "hello"}


@pytest.mark.parametrize("text", ["snake size", "snake =8", "snake size=", "snake 8=size"])
def test_what_is_no_option_is_refused(text: str) -> None:
    with pytest.raises(TrainError, match=r"is no option\nhint: write options as in"):
        find_game(text)


def test_a_wrong_name_is_answered_with_the_closest() -> None:
    with pytest.raises(TrainError, match="there is no game 'snaek'\nhint: did you mean 'snake'"):
        find_game("snaek")
    with pytest.raises(TrainError, match="did you mean 'CartPole-v1'"):
        find_game("cartpole-v1")
    with pytest.raises(TrainError, match="games: duel, retro, skirmish, snake"):
        find_game("")
