"""A user's Gymnasium environment with a busy step; it reports its own clock in info."""

from __future__ import annotations

import random
import time
from typing import Any

import gymnasium
import numpy as np
from clocks import spin

OBSERVATION_SIZE = 24


class HillEnv(gymnasium.Env):
    def __init__(self, index: int, step_us: float) -> None:
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (OBSERVATION_SIZE,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(4)
        self.random = random.Random(index)
        self.step_us = step_us
        self.turn = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        start_ns = time.perf_counter_ns()
        super().reset(seed=seed)
        spin(2 * self.step_us)
        self.turn = 0
        observation = self.observe()
        return observation, {"interval": (start_ns, time.perf_counter_ns())}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        start_ns = time.perf_counter_ns()
        self.turn += 1
        spin(self.random.uniform(0.6, 1.4) * self.step_us)
        terminated = self.random.random() < 0.02
        observation = self.observe()
        info = {"interval": (start_ns, time.perf_counter_ns())}
        return observation, float(int(action) == self.turn % 4), terminated, False, info

    def observe(self) -> Any:
        return np.full(OBSERVATION_SIZE, min(1.0, self.turn / 200.0), dtype=np.float32)
