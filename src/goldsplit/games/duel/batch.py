"""The batch twin: N battles, one message to the server and one back for a step of all of them.

The rules stay on the server, in plain Python: what this twin saves is messages, waiting and the cost of N
separate environments, not the play itself. A battle that ended begins anew at the next step (autoreset mode
NEXT_STEP).
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from goldsplit.games.duel.battle_table import NEW_BATTLE
from goldsplit.games.duel.bestiary import ACTIONS
from goldsplit.games.duel.errors import DuelError
from goldsplit.games.duel.fast import MASKS
from goldsplit.games.duel.formulas import SPEC, compiled
from goldsplit.games.duel.line_socket import SECONDS_TO_ANSWER, LineSocket

#: The information of a step, its place in the server's answer, and its kind in an array.
_INFOS: tuple[tuple[str, int, Any], ...] = (
    ("winner", 3, object),
    ("reason", 4, object),
    ("turn", 5, np.int64),
    ("my_hp", 6, np.int64),
    ("foe_hp", 7, np.int64),
)


class DuelBatch(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """N battles against the server's bot."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium has it
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        spec: str | Path | None = None,
        timeout: float = SECONDS_TO_ANSWER,
        render_mode: str | None = None,
    ) -> None:
        if num_envs < 1:
            raise DuelError(f"{num_envs} battles cannot be played", "num_envs is 1 or more")
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._observe, features = compiled(Path(spec) if spec is not None else SPEC)
        self.single_observation_space = spaces.Box(-2.0, 2.0, (features,), np.float32)
        self.single_action_space = spaces.Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._valid = np.full(num_envs, (1 << ACTIONS) - 1, np.int64)
        self._ended = np.zeros(num_envs, bool)
        self._line = LineSocket(timeout)
        weakref.finalize(self, self._line.close)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Battle i gets seed + i, or the i-th of a list; without seeds the battles' dice go on."""
        games = self._line.ask({"op": "reset", "seeds": self._seeds(seed)})["games"]
        self._ended[:] = False
        observations, _, _, _, infos = self._take(games)
        return observations, infos

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            return [int(seed) + number for number in range(self.num_envs)]
        given = [None] * self.num_envs if seed is None else seed
        seeds = [None if one is None else int(one) for one in given]
        if len(seeds) != self.num_envs:
            raise DuelError(
                f"{len(seeds)} seeds for {self.num_envs} battles", "one seed for each, or one number"
            )
        if not self._line.connected:
            seeds = [int(self.np_random.integers(1 << 62)) if one is None else one for one in seeds]
        return seeds

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        if not self._line.connected:
            raise DuelError("there are no battles", "call reset() first, in this process")
        chosen = np.where(self._ended, NEW_BATTLE, np.maximum(np.asarray(actions), 0))
        games = self._line.ask({"op": "play", "actions": chosen.tolist()})["games"]
        answer = self._take(games)
        self._ended = answer[2] | answer[3]
        return answer

    def _take(
        self, games: list[list[Any]]
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        observe = self._observe
        observations = np.array([observe(game[9]) for game in games], dtype=np.float64).astype(np.float32)
        rewards = np.array([game[0] for game in games], dtype=np.float64)
        terminated = np.array([game[1] for game in games], dtype=bool)
        truncated = np.array([game[2] for game in games], dtype=bool)
        self._valid[:] = [game[8] for game in games]
        infos: dict[str, Any] = {}
        for name, place, kind in _INFOS:
            infos[name] = np.array([game[place] for game in games], dtype=kind)
            infos[f"_{name}"] = np.ones(self.num_envs, bool)
        return observations, rewards, terminated, truncated, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The valid actions of each battle."""
        masks: NDArray[np.bool_] = MASKS[self._valid]
        return masks

    def close_extras(self, **kwargs: Any) -> None:
        self._line.close()
