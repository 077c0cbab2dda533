"""Evaluation: every row plays its share, and the figures have right intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from goldsplit.train.errors import TrainError
from goldsplit.train.evaluation import evaluate, summary, wilson
from goldsplit.train.worlds import Episode, Turn


class Rounds:
    """Games of fixed lengths by row; a game is won if its row is even."""

    def __init__(self, lengths: list[int]) -> None:
        self.lengths, self.envs = lengths, len(lengths)
        self.seeds: list[int] = []

    def reset(self, seed: int) -> Any:
        self.seeds.append(seed)
        self.at = np.zeros(self.envs, int)
        return np.zeros((self.envs, 1), np.float32), np.ones((self.envs, 2), bool)

    def step(self, actions: Any) -> Turn:
        self.at += 1
        over = self.at % self.lengths == 0
        ended = [Episode(row, float(row), self.lengths[row], row % 2 == 0) for row in np.flatnonzero(over)]
        none = np.zeros(self.envs, bool)
        obs, masks = np.zeros((self.envs, 1), np.float32), np.ones((self.envs, 2), bool)
        return Turn(obs, masks, np.zeros(self.envs, np.float32), over, none, ~none, ended)


def play(obs: Any, masks: Any) -> Any:
    return np.zeros(len(obs), np.int64)


def test_every_row_plays_its_share_however_long_its_games_are() -> None:
    """Else short games, which are often lost ones, would be counted more often."""
    world: Any = Rounds([1, 50])
    result = evaluate(play, world, 10, seed=3)
    assert (result.games, result.win_rate, result.mean_return) == (10, 0.5, 0.5)
    assert result.mean_length == pytest.approx(25.5)
    assert world.seeds != [3]  # other games than those of the training


def test_shares_differ_by_one_where_they_must() -> None:
    world: Any = Rounds([2, 2, 2])
    assert evaluate(play, world, 7, seed=0).mean_return == pytest.approx((0 * 3 + 1 * 2 + 2 * 2) / 7)


def test_no_games_are_refused() -> None:
    world: Any = Rounds([2])
    with pytest.raises(TrainError, match="0 games"):
        evaluate(play, world, 0, seed=0)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 100, 0.7222, 0.8749)],
)
def test_the_interval_of_wilson(wins: int, games: int, low: float, high: float) -> None:
    """Values of the formula in Wilson (1927), to four digits."""
    assert wilson(wins, games) == pytest.approx((low, high), abs=1e-4)


def test_the_interval_of_a_mean_return() -> None:
    totals = [1.0, 2.0, 3.0, 6.0]
    result = summary([Episode(0, total, 5, None) for total in totals])
    half = 1.959964 * np.std(totals, ddof=1) / 2
    assert result.return_interval == pytest.approx((3.0 - half, 3.0 + half))
    assert (result.win_rate, result.win_interval) == (None, None)
    assert str(result).startswith("4 games: return 3 (")


def test_one_game_has_no_interval() -> None:
    result = summary([Episode(0, 1.0, 5, True)])
    assert result.return_interval == (-math.inf, math.inf)
    assert result.win_rate == 1.0
    assert "wins 100% (21%-100%)" in str(result)
    assert result.as_dict()["win_rate"] == 1.0
