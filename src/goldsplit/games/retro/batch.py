"""Retro, batch twin: N emulators in one process; pictures, facts and critics of all in one compiled call.

An emulator holds Python's lock while it runs, so that threads gain nothing here: to use more cores, use more
processes.
A game that ended is set to a new start by the next step, whatever its action (Gymnasium's NEXT_STEP).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from goldsplit.games.dice import Dice
from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.retro.retro_kernel import Answer
from goldsplit.games.retro.viewer import Viewer

_REASONS = np.array(rules.END_REASONS)


class RetroBatch(VectorEnv[Any, Any, Any]):
    """Several games, stepped together."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int = 1, max_steps: int = 1000, render_mode: str | None = None) -> None:
        if num_envs < 1:
            raise rules.RetroError(f"num_envs is {num_envs}", "give the number of games, at least 1")
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.max_steps = rules.checked_steps(max_steps)
        self.single_observation_space, self.single_action_space = rules.single_spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._viewer = Viewer(num_envs)
        self._steps = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, np.bool_)
        self._started = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """A new game everywhere; game i has the dice of `seed + i`, or of the i-th seed of a list."""
        for game, own in enumerate(self._seeds(seed)):
            if own is not None:
                self._viewer.dice[game] = Dice(own)
            self._viewer.begin(game)
        self._steps[:] = 0
        self._ended[:] = False
        self._started = True
        answer = self._viewer.see()
        return answer.stacks, self._infos(answer, np.zeros(self.num_envs, np.int64))

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.min() < 0 or chosen.max() >= rules.ACTIONS:
            raise rules.unknown_action(actions)
        if not self._started:
            raise rules.no_game()
        terminated = np.zeros(self.num_envs, np.bool_)
        self._steps += 1
        self._steps[self._ended] = 0
        for game, (action, ended) in enumerate(zip(chosen.tolist(), self._ended.tolist(), strict=True)):
            if ended:
                self._viewer.begin(game)
            else:
                terminated[game] = self._viewer.play(game, action)
        truncated = ~terminated & (self._steps >= self.max_steps)
        self._ended = terminated | truncated
        answer = self._viewer.see()
        reasons = rules.NO_LIVES * terminated + rules.OUT_OF_TIME * truncated
        return answer.stacks, answer.rewards, terminated, truncated, self._infos(answer, reasons)

    def action_masks(self) -> NDArray[np.bool_]:
        """Every action of every game is valid."""
        return np.ones((self.num_envs, rules.ACTIONS), np.bool_)

    def state(self) -> dict[str, Any]:
        """Everything that decides what happens next: for a checkpoint."""
        if not self._started:
            raise rules.RetroError("there is no game to save", "call reset() first")
        return {**self._viewer.state(), "steps": self._steps.copy(), "ended": self._ended.copy()}

    def restore(self, state: Mapping[str, Any]) -> NDArray[np.uint8]:
        """Go on from what `state` gave, here or in another batch of as many games; its observations."""
        stacks = self._viewer.restore(state)
        self._steps, self._ended = state["steps"].copy(), state["ended"].copy()
        self._started = True
        return stacks

    def _infos(self, answer: Answer, reasons: NDArray[np.int64]) -> dict[str, Any]:
        numbers = self._viewer.numbers()
        infos: dict[str, Any] = {
            "facts": answer.facts,
            "critics": answer.critics,
            "score": numbers[:, rules.SCORE].copy(),
            "room": numbers[:, rules.ROOM].copy(),
            "lives": numbers[:, rules.LIVES].copy(),
            "steps": self._steps.copy(),
            "end_reason": _REASONS[reasons],
        }
        for key in tuple(infos):
            infos[f"_{key}"] = np.ones(self.num_envs, np.bool_)
        return infos

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            if self._started:
                return [None] * self.num_envs
            seed = int(self.np_random.integers(1 << 62))
        if isinstance(seed, int | np.integer):
            return [int(seed) + game for game in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise rules.RetroError(
                f"{len(seed)} seeds for {self.num_envs} games", "give one seed for each game"
            )
        return list(seed)
