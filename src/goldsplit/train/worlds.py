"""What a trainer sees of its games, whatever the surroundings: N games, stepped together.

A game that ended begins anew in the *following* step, as Gymnasium's NEXT_STEP autoreset does: in that step
its action is ignored, its row is no transition, and `Turn.played` is False there. So `Turn.obs` of an ended
game is its true last observation, and the `obs` of one turn are what the next actions are chosen from.
Masks of ended games allow everything, since nobody looks at their next action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from goldsplit import api
from goldsplit.train.errors import TrainError

Observations = NDArray[Any]
Masks = NDArray[np.bool_]
Actions = NDArray[np.int64]
Policy = Callable[[Observations, Masks], Actions]

#: Values of info["winner"] that mean the agent; any other one means that it did not win.
AGENT_WINS = frozenset({"agent", "player", "model", "me", "learner", "win"})


class Episode(NamedTuple):
    """One game that ended: of which row, the sum of its rewards, its steps; `won` is None if nobody wins."""

    row: int
    total: float
    length: int
    won: bool | None


class Turn(NamedTuple):
    """What all games answered to one action each."""

    obs: Observations
    masks: Masks
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    played: NDArray[np.bool_]
    ended: list[Episode]

    @property
    def ends(self) -> NDArray[np.bool_]:
        """Games that are over with this step, by termination or by truncation."""
        return self.terminated | self.truncated

    @property
    def final_obs(self) -> Observations:
        """The last observations of the games that ended, one row for each True of `ends`."""
        picked: Observations = self.obs[self.ends]
        return picked


class World(Protocol):
    """N games of one kind."""

    envs: int
    shape: tuple[int, ...]
    dtype: Any
    actions: int

    def reset(self, seed: int) -> tuple[Observations, Masks]:
        """New games; game i with seed + i."""

    def step(self, actions: Actions) -> Turn:
        """One action for each game."""

    def sample_actions(self, rows: Sequence[int] | None = None) -> Actions:
        """Random valid actions, one for each game, or for each of these rows."""

    def set_opponent(self, policy: Policy) -> None:
        """The opponent plays by this policy from now on; an error where the game's opponent is fixed."""

    def state(self) -> Any:
        """Everything that decides what happens next, or None where that cannot be had."""

    def restore(self, state: Any) -> tuple[Observations, Masks]:
        """Go on from what `state` gave."""

    def close(self) -> None:
        """End workers and games."""


class Tally:
    """Running returns and lengths of N games."""

    def __init__(self, envs: int) -> None:
        self.totals = np.zeros(envs)
        self.lengths = np.zeros(envs, np.int64)

    def add(self, rewards: NDArray[Any], played: NDArray[np.bool_]) -> None:
        """One step of all games; rows that only began a new game do not count."""
        self.totals += rewards
        self.lengths += played

    def take(self, row: int, winner: Any) -> Episode:
        """The episode that ended in this row, which begins anew."""
        total, length = float(self.totals[row]), int(self.lengths[row])
        self.totals[row] = 0.0
        self.lengths[row] = 0
        return Episode(row, total, length, won(winner))


def report(episodes: Sequence[Episode]) -> None:
    """Tell a recording of this training about games that ended; nothing happens where nobody records."""
    for episode in episodes:
        api.episode(reward=episode.total, win=episode.won, length=episode.length)


NO_WINNER = object()


def won(winner: Any) -> bool | None:
    """What info["winner"] says: True for the agent, None where the game has no such entry."""
    if winner is NO_WINNER:
        return None
    if isinstance(winner, bool | np.bool_):
        return bool(winner)
    return str(winner).lower() in AGENT_WINS


def spaces_of(observation_space: Any, action_space: Any, game: str) -> tuple[tuple[int, ...], Any, int]:
    """Shape and dtype of an observation and the number of actions; an error for what trainers cannot play."""
    shape, dtype = getattr(observation_space, "shape", None), getattr(observation_space, "dtype", None)
    if not shape or dtype is None:
        raise TrainError(
            f"{game} observes {observation_space}, not an array",
            "wrap it with gymnasium.wrappers.FlattenObservation, or make it give a Box",
        )
    if not hasattr(action_space, "n") or int(getattr(action_space, "start", 0)) != 0:
        raise TrainError(
            f"{game} takes actions {action_space}, the trainers need a Discrete space from 0 on",
            "wrap the environment so that actions are numbers from 0 to n - 1",
        )
    picture = len(shape) == 3 and dtype == np.uint8
    return tuple(shape), np.uint8 if picture else np.float32, int(action_space.n)


def fixed_opponent(game: str) -> TrainError:
    """The error for self-play in a game that has no set_opponent."""
    return TrainError(
        f"self-play needs set_opponent(policy), and the opponent of {game} is fixed",
        "train with self_play=0: the agent then plays against the game's own bot",
    )
