"""The fast twin: one game of Skirmish on arrays, played by the compiled kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from goldsplit.games.skirmish.game_table import GameTable
from goldsplit.games.skirmish.game_terms import (
    INFO_NAMES,
    INFO_NUMBERS,
    INFO_REWARDS,
    NAMED_VALUES,
    Policy,
    SkirmishCallError,
    action_space,
    observation_space,
)
from goldsplit.games.skirmish.scenario_file import DEFAULT

_FIRST_NAME = len(INFO_NUMBERS)
_FIRST_REWARD = _FIRST_NAME + len(INFO_NAMES)


class SkirmishFast(gymnasium.Env[NDArray[np.float32], int]):
    """One game of Skirmish; see docs/games/skirmish.md for rules, observation and rewards."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, scenario: str | Path = DEFAULT) -> None:
        self._table = GameTable(scenario, 1)
        self.scenario = self._table.scenario
        self.observation_space = observation_space()
        self.action_space = action_space()
        self._action = np.zeros(1, np.int64)
        self._playing = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game; without a seed the dice go on where they are."""
        super().reset(seed=seed)
        if seed is not None or not self._table.has_dice:
            self._table.seed([int(self.np_random.integers(1 << 62)) if seed is None else seed])
        self._table.start()
        self._playing = True
        return self._table.answers.observation[0], self._info()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One decision and all that follows before the next one; an action that is not valid passes."""
        if not self._playing:
            raise SkirmishCallError(
                "there is no game to play in", "call reset() before the first step and after an end"
            )
        self._action[0] = action
        self._table.step(self._action)
        answers = self._table.answers
        ended = answers.ended.item(0)
        self._playing = not ended
        return answers.observation[0], answers.reward.item(0), ended, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """What the active squad may do; passing is always valid."""
        return self._table.answers.mask[0].copy()

    def set_opponent(self, policy: Policy | None) -> None:
        """Let a policy decide for the other side instead of the bot, from its next turn on; None: the bot."""
        self._table.opponent = policy

    def _info(self) -> dict[str, Any]:
        numbers = self._table.answers.info[:, 0].tolist()
        info = dict(zip(INFO_NUMBERS, numbers, strict=False))
        for k, name in enumerate(INFO_NAMES):
            info[name] = NAMED_VALUES[k][numbers[_FIRST_NAME + k]]
        for k, name in enumerate(INFO_REWARDS):
            info[name] = numbers[_FIRST_REWARD + k] / 1000.0
        return info
