"""The fast twin: the same battles and answers, without the plain twin's faults.

A blocking socket instead of a second thread, one short line of numbers for each decision, and all features as
one function that was compiled once for the process.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from goldsplit.games.duel.bestiary import ACTIONS
from goldsplit.games.duel.errors import DuelError
from goldsplit.games.duel.formulas import SPEC, Observe, compiled
from goldsplit.games.duel.line_socket import SECONDS_TO_ANSWER, LineSocket

#: The mask that each number of the server stands for: bit k is action k.
MASKS = (np.arange(1 << ACTIONS)[:, None] >> np.arange(ACTIONS)) & 1 == 1


def observation_of(observe: Observe, view: Sequence[int]) -> NDArray[np.float32]:
    """All features of one view."""
    return np.array(observe(view), dtype=np.float64).astype(np.float32)


class DuelFast(gymnasium.Env[NDArray[np.float32], int]):
    """One battle after the other against the server's bot."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        spec: str | Path | None = None,
        timeout: float = SECONDS_TO_ANSWER,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode
        self._observe, features = compiled(Path(spec) if spec is not None else SPEC)
        self.observation_space = spaces.Box(-2.0, 2.0, (features,), np.float32)
        self.action_space = spaces.Discrete(ACTIONS)
        self._valid = (1 << ACTIONS) - 1
        self._line = LineSocket(timeout)
        weakref.finalize(self, self._line.close)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is None and not self._line.connected:
            seed = int(self.np_random.integers(1 << 62))
        observation, _, _, _, info = self._take(self._line.ask({"op": "reset", "seeds": [seed]}))
        return observation, info

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        if not self._line.connected:
            raise DuelError("there is no battle", "call reset() first, in this process")
        return self._take(self._line.ask({"op": "play", "actions": [max(int(action), 0)]}))

    def _take(self, answer: dict[str, Any]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        game = answer["games"][0]
        reward, terminated, truncated, winner, reason, turn, my_hp, foe_hp, self._valid, view = game
        info = {"winner": winner, "reason": reason, "turn": turn, "my_hp": my_hp, "foe_hp": foe_hp}
        return observation_of(self._observe, view), reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The valid actions; sb3-contrib's convention."""
        mask: NDArray[np.bool_] = MASKS[self._valid].copy()
        return mask

    def close(self) -> None:
        self._line.close()
