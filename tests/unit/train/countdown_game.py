"""A small game for the tests of worlds, in a module of its own: workers import it, and little else."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class CountdownEnv(gymnasium.Env[Any, Any]):
    """Ends after as many steps as its dice say; the last action of the mask is forbidden on even turns."""

    def __init__(self, longest: int = 6) -> None:
        self.observation_space = spaces.Box(-10, 10, (2,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.longest = longest
        self.rival: Any = None

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.left = int(self.np_random.integers(1, self.longest))
        self.turn = 0
        return self._look(), {"winner": None}

    def step(self, action: Any) -> Any:
        assert self.action_masks()[action], "a masked action was played"
        self.turn += 1
        self.left -= 1
        info = {"winner": "agent" if self.turn % 2 else "bot"} if self.left == 0 else {}
        return self._look(), 1.0 + 0.5 * action, self.left == 0, False, info

    def action_masks(self) -> Any:
        return np.array([True, True, self.turn % 2 == 1])

    def set_opponent(self, policy: Any) -> None:
        self.rival = policy

    def _look(self) -> Any:
        return np.array([self.turn, self.left], np.float32)


def make() -> CountdownEnv:
    return CountdownEnv()
