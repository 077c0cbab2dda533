"""A game; its step contains the opponent's whole turn: a stage inside a stage."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from clocks import Truth, spin

OBSERVATION_SIZE = 32


class Battle:
    def __init__(self, truth: Truth, seed: int) -> None:
        self.truth = truth
        self.random = random.Random(seed)
        self.turn = 0

    def reset(self) -> Any:
        self.turn = 0
        spin(300)
        return self.observe()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.turn += 1
        spin(self.random.uniform(200, 500))
        reward = self.enemy_turn(action)
        done = self.random.random() < 0.02
        return self.observe(), reward, done, False, {}

    def enemy_turn(self, action: int) -> float:
        with self.truth.clock("env.opponent"):
            for _ in range(self.random.randrange(1, 5)):  # as many units as the enemy has
                self.move_unit()
            return float(action == self.turn % 4)

    def move_unit(self) -> None:
        spin(self.random.uniform(100, 400))

    def observe(self) -> Any:
        return np.full(OBSERVATION_SIZE, self.turn / 100.0, dtype=np.float32)
