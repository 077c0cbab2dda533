"""The batch twin: N boards of Snake, all moved in one compiled call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from goldsplit.games.dice import seeded
from goldsplit.games.snake.snake_kernel import (
    LENGTH,
    OUTCOME,
    STEPS,
    advance,
    begin_all,
    new_boards,
    observe,
)
from goldsplit.games.snake.snake_rules import (
    HUNGER,
    N_ACTIONS,
    PLAYING,
    REASONS,
    SnakeOptionError,
    action_space,
    board_seeds,
    checked_count,
    checked_options,
    no_game,
    observation_space,
)

Observations = NDArray[np.float32]
State = dict[str, NDArray[Any]]
_REASONS = np.array([reason or None for reason in REASONS], dtype=object)


class SnakeBatch(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """N boards of Snake; a board whose game ended begins its next one in the following step."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 256,
        size: int = 12,
        flood_fill: bool = False,
        hunger_limit: int | None = None,
    ) -> None:
        self.options = checked_options(size, flood_fill, hunger_limit)
        self.num_envs = checked_count(num_envs)
        self.single_observation_space = observation_space(self.options)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._limit = self.options.hunger_limit
        self._boards = new_boards(num_envs, self.options)
        self._started = False

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """A new game on every board; board i has the dice of `seed + i`, or of the i-th seed of a list."""
        self._seed(seed)
        observations = self._room()
        begin_all(self._boards, self._limit, observations)
        self._started = True
        return observations, self._infos()

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One move on every board; an action that does not exist goes straight on."""
        if not self._started:
            raise no_game()
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.num_envs,):
            raise SnakeOptionError(
                f"actions of shape {chosen.shape} do not fit {self.num_envs} boards",
                "pass one action for each board",
            )
        observations, rewards = self._room(), np.empty(self.num_envs)
        advance(self._boards, chosen, self._limit, rewards, observations)
        outcomes = self._boards.numbers[:, OUTCOME]
        truncated = outcomes == HUNGER
        terminated = (outcomes != PLAYING) & ~truncated
        return observations, rewards, terminated, truncated, self._infos()

    def action_masks(self) -> NDArray[np.bool_]:
        """Turning can never reverse a snake, so that every action is valid on every board."""
        return np.ones((self.num_envs, N_ACTIONS), np.bool_)

    def state(self) -> State:
        """Everything that decides what happens next, as arrays of its own: for a checkpoint."""
        if not self._started:
            raise SnakeOptionError("there is no game to save", "call reset() first")
        return {name: part.copy() for name, part in self._boards._asdict().items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> Observations:
        """Go on from what `state` gave, here or in another batch of the same options; its observations."""
        for name, part in self._boards._asdict().items():
            if name not in state or state[name].shape != part.shape or state[name].dtype != part.dtype:
                raise SnakeOptionError(
                    f"the state does not fit these boards: its {name!r} is missing or has another shape",
                    "restore it into a batch with the same num_envs and size",
                )
        for name, part in self._boards._asdict().items():
            part[...] = state[name]
        self._started = True
        observations = self._room()
        observe(self._boards, self._limit, observations)
        return observations

    def _seed(self, seed: int | Sequence[int] | None) -> None:
        if seed is None and self._started:
            return
        first = int(self.np_random.integers(1 << 62)) if seed is None else seed
        self._boards.dice[:] = [seeded(one) for one in board_seeds(first, self.num_envs)]

    def _room(self) -> Observations:
        return np.empty((self.num_envs, len(self.options.features)), np.float32)

    def _infos(self) -> dict[str, Any]:
        """As Gymnasium lays them out: an array for each key, and where it counts."""
        numbers = self._boards.numbers
        everywhere = np.ones(self.num_envs, np.bool_)
        infos: dict[str, Any] = {
            "length": numbers[:, LENGTH].copy(),
            "_length": everywhere,
            "steps": numbers[:, STEPS].copy(),
            "_steps": everywhere.copy(),
        }
        ended = numbers[:, OUTCOME] != PLAYING
        if ended.any():
            infos["reason"] = _REASONS[numbers[:, OUTCOME]]
            infos["_reason"] = ended
        return infos
