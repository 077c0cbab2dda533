"""The fast twin: one board of Snake on arrays, moved by the compiled kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from goldsplit.games.dice import seeded
from goldsplit.games.snake.snake_kernel import LENGTH, OUTCOME, STEPS, advance, begin_all, new_boards
from goldsplit.games.snake.snake_rules import (
    HUNGER,
    N_ACTIONS,
    PLAYING,
    REASONS,
    action_space,
    checked_options,
    no_game,
    observation_space,
)


class SnakeFast(gymnasium.Env[NDArray[np.float32], int]):
    """One board of Snake; see docs/games/snake.md for rules, observation and rewards."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, size: int = 12, flood_fill: bool = False, hunger_limit: int | None = None) -> None:
        self.options = checked_options(size, flood_fill, hunger_limit)
        self.observation_space = observation_space(self.options)
        self.action_space = action_space()
        self._shape = (1, len(self.options.features))
        self._limit = self.options.hunger_limit
        self._boards = new_boards(1, self.options)
        self._numbers = self._boards.numbers[0]
        self._actions = np.zeros(1, np.int64)
        self._rewards = np.zeros(1, np.float64)
        self._playing = False
        self._has_dice = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game; without a seed the dice go on where they are."""
        super().reset(seed=seed)
        if seed is not None or not self._has_dice:
            chosen = int(self.np_random.integers(1 << 62)) if seed is None else seed
            self._boards.dice[0] = seeded(chosen)
            self._has_dice = True
        observation = np.empty(self._shape, np.float32)
        begin_all(self._boards, self._limit, observation)
        self._playing = True
        return observation[0], self._info(PLAYING)

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One move; an action that does not exist goes straight on."""
        if not self._playing:
            raise no_game()
        self._actions[0] = action
        observation = np.empty(self._shape, np.float32)
        advance(self._boards, self._actions, self._limit, self._rewards, observation)
        outcome = self._numbers.item(OUTCOME)
        self._playing = outcome == PLAYING
        truncated = outcome == HUNGER
        terminated = not (self._playing or truncated)
        return observation[0], self._rewards.item(0), terminated, truncated, self._info(outcome)

    def action_masks(self) -> NDArray[np.bool_]:
        """Turning can never reverse a snake, so that every action is valid."""
        return np.ones(N_ACTIONS, np.bool_)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickled, as from a checkpoint: the row of numbers is a view, which a pickle makes a copy of."""
        self.__dict__.update(state)
        self._numbers = self._boards.numbers[0]

    def _info(self, outcome: int) -> dict[str, Any]:
        info: dict[str, Any] = {"length": self._numbers.item(LENGTH), "steps": self._numbers.item(STEPS)}
        if outcome != PLAYING:
            info["reason"] = REASONS[outcome]
        return info
