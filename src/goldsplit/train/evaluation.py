"""How well a policy plays: greedy games against the game's own bot, with an interval around the figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from goldsplit.train.errors import TrainError
from goldsplit.train.worlds import Episode, Policy, World

Z95 = 1.959963984540054
#: Games of an evaluation begin with other seeds than those of a training.
SEED_OFFSET = 1_000_003


class Evaluation(NamedTuple):
    """Figures over so many games, each with its 95 % interval; no win rate where the game has no winner."""

    games: int
    win_rate: float | None
    win_interval: tuple[float, float] | None
    mean_return: float
    return_interval: tuple[float, float]
    mean_length: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(self._asdict())

    def __str__(self) -> str:
        low, high = self.return_interval
        text = f"return {self.mean_return:.3g} ({low:.3g} to {high:.3g})"
        if self.win_rate is not None and self.win_interval is not None:
            low, high = self.win_interval
            text = f"wins {self.win_rate:.0%} ({low:.0%}-{high:.0%}), {text}"
        return f"{self.games} games: {text}, {self.mean_length:.0f} steps each"


def evaluate(policy: Policy, world: World, games: int, seed: int) -> Evaluation:
    """Play `games` games. Every row plays its share, so that short games are not counted more often."""
    if games < 1:
        raise TrainError(f"an evaluation of {games} games has no figures", "choose 1 or more games")
    shares = np.full(world.envs, games // world.envs)
    shares[: games % world.envs] += 1
    obs, masks = world.reset(seed + SEED_OFFSET)
    episodes: list[Episode] = []
    while shares.any():
        turn = world.step(policy(obs, masks))
        obs, masks = turn.obs, turn.masks
        for episode in turn.ended:
            if shares[episode.row]:
                shares[episode.row] -= 1
                episodes.append(episode)
    return summary(episodes)


def summary(episodes: Sequence[Episode]) -> Evaluation:
    """The figures of these games."""
    totals = np.array([episode.total for episode in episodes])
    wins = [episode.won for episode in episodes if episode.won is not None]
    spread = Z95 * float(totals.std(ddof=1)) / math.sqrt(len(totals)) if len(totals) > 1 else math.inf
    mean = float(totals.mean())
    return Evaluation(
        len(episodes),
        sum(wins) / len(wins) if wins else None,
        wilson(sum(wins), len(wins)) if wins else None,
        mean,
        (mean - spread, mean + spread),
        float(np.mean([episode.length for episode in episodes])),
    )


def wilson(wins: int, games: int) -> tuple[float, float]:
    """The 95 % interval of a win rate (Wilson): right for few games, and for rates near 0 and 1."""
    rate, square = wins / games, Z95 * Z95
    centre = (rate + square / (2 * games)) / (1 + square / games)
    half = Z95 * math.sqrt(rate * (1 - rate) / games + square / (4 * games * games)) / (1 + square / games)
    return max(0.0, centre - half), min(1.0, centre + half)
