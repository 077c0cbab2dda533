"""The batch twin: N games of Skirmish, all played on in one compiled call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from goldsplit.games.skirmish.game_table import GameTable, Observations, game_seeds
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

_VALUES = [np.array(values, dtype=object) for values in NAMED_VALUES]
_FIRST_NAME = len(INFO_NUMBERS)
_FIRST_REWARD = _FIRST_NAME + len(INFO_NAMES)


class SkirmishBatch(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """N games of Skirmish; a game that ended begins anew in the following step."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int = 64, scenario: str | Path = DEFAULT) -> None:
        self._table = GameTable(scenario, num_envs)
        self.scenario = self._table.scenario
        self.num_envs = num_envs
        self.single_observation_space = observation_space()
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everywhere = np.ones(num_envs, np.bool_)
        self._everywhere.flags.writeable = False  # all answers share it

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """N new games; game i has the dice of `seed + i`, or of the i-th seed of a list."""
        if seed is not None or not self._table.has_dice:
            first = int(self.np_random.integers(1 << 62)) if seed is None else seed
            self._table.seed(game_seeds(first, self.num_envs))
        self._table.start()
        return self._table.answers.observation, self._infos()

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One decision in every game and all that follows; an action that is not valid passes."""
        if not self._table.started:
            raise SkirmishCallError("there is no game to play in", "call reset() before the first step")
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.num_envs,):
            raise SkirmishCallError(
                f"actions of shape {chosen.shape} do not fit {self.num_envs} games",
                "pass one action for each game",
            )
        self._table.step(chosen)
        answers = self._table.answers
        truncated = np.zeros(self.num_envs, np.bool_)
        return answers.observation, answers.reward, answers.ended.copy(), truncated, self._infos()

    def action_masks(self) -> NDArray[np.bool_]:
        """What the active squad of each game may do; passing is always valid."""
        return self._table.answers.mask.copy()

    def set_opponent(self, policy: Policy | None) -> None:
        """Let a policy decide for the other sides instead of the bot from their next turns on; None: bot."""
        self._table.opponent = policy

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that decides what happens next, as arrays of its own: for a checkpoint."""
        return self._table.state()

    def restore(self, state: Mapping[str, NDArray[Any]]) -> Observations:
        """Go on from what `state` gave, here or in another batch of the same kind; its observations."""
        self._table.restore(state)
        return self._table.answers.observation

    def _infos(self) -> dict[str, Any]:
        """As Gymnasium lays them out: an array for each key, a row of one table, and where it counts."""
        table, everywhere = self._table.answers.info, self._everywhere
        infos: dict[str, Any] = {}
        for k, name in enumerate(INFO_NUMBERS):
            infos[name] = table[k]
            infos["_" + name] = everywhere
        for k, name in enumerate(INFO_NAMES):
            infos[name] = _VALUES[k][table[_FIRST_NAME + k]]
            infos["_" + name] = everywhere
        for k, name in enumerate(INFO_REWARDS):
            infos[name] = table[_FIRST_REWARD + k] / 1000.0
            infos["_" + name] = everywhere
        return infos
