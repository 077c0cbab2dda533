"""The plain twin for Gymnasium: one board of the plain world, and all of its boards as a vector environment.

The world itself, and the list of its faults, is in `vectorized_snake`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from goldsplit.games.snake.snake_rules import (
    N_ACTIONS,
    SnakeOptions,
    action_space,
    board_seeds,
    checked_count,
    checked_options,
    no_game,
    observation_space,
)
from goldsplit.games.snake.vectorized_snake import VectorizedSnakeEnv


def _world(num_envs: int, options: SnakeOptions) -> VectorizedSnakeEnv:
    return VectorizedSnakeEnv(
        num_envs,
        grid_size=options.size,
        use_flood_fill=options.flood_fill,
        max_steps_without_food=options.hunger_limit,
    )


class SnakePlain(gymnasium.Env[NDArray[np.float32], int]):
    """One board of the plain world."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, size: int = 12, flood_fill: bool = False, hunger_limit: int | None = None) -> None:
        self.options = checked_options(size, flood_fill, hunger_limit)
        self.observation_space = observation_space(self.options)
        self.action_space = action_space()
        self.world = _world(1, self.options)
        self._has_dice = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game; without a seed the dice go on where they are."""
        super().reset(seed=seed)
        if seed is not None or not self._has_dice:
            self.world.seed([int(self.np_random.integers(1 << 62)) if seed is None else seed])
            self._has_dice = True
        features = self.world.reset()
        return features[0].numpy(), self._info()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One move; an action that does not exist goes straight on."""
        if self.world.dones[0].item():
            raise no_game()
        features, rewards, terminated, truncated, _ = self.world.step(torch.tensor([int(action)]))
        ends = bool(terminated[0].item()), bool(truncated[0].item())
        return features[0].numpy(), float(rewards[0].item()), *ends, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Turning can never reverse a snake, so that every action is valid."""
        return np.ones(N_ACTIONS, np.bool_)

    def _info(self) -> dict[str, Any]:
        info = {"length": int(self.world.lengths[0].item()), "steps": int(self.world.steps[0].item())}
        if self.world.death_reasons[0]:
            return {**info, "reason": self.world.death_reasons[0]}
        return info


class SnakePlainVector(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """All boards of the plain world; a board whose game ended begins its next one in the following step."""

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
        self.world = _world(num_envs, self.options)
        self._has_dice = False

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game on every board; board i has the dice of `seed + i`, or of the i-th seed of a list."""
        if seed is not None or not self._has_dice:
            first = int(self.np_random.integers(1 << 62)) if seed is None else seed
            self.world.seed(board_seeds(first, self.num_envs))
            self._has_dice = True
        return self.world.reset().numpy(), self._infos(self.world.get_info())

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """One move on every board; an action that does not exist goes straight on."""
        if not self._has_dice:
            raise no_game()
        features, rewards, terminated, truncated, info = self.world.step(torch.as_tensor(actions))
        return features.numpy(), rewards.numpy(), terminated.numpy(), truncated.numpy(), self._infos(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """Turning can never reverse a snake, so that every action is valid on every board."""
        return np.ones((self.num_envs, N_ACTIONS), np.bool_)

    def _infos(self, info: dict[str, Any]) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for env_idx in range(self.num_envs):
            one = {"length": int(info["length"][env_idx]), "steps": int(info["steps"][env_idx])}
            if info["reason"][env_idx]:
                infos = self._add_info(infos, {**one, "reason": info["reason"][env_idx]}, env_idx)
            else:
                infos = self._add_info(infos, one, env_idx)
        return infos
