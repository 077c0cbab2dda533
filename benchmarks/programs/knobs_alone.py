"""One thread, real work: games stepped one after another, actions for all at once, a learner in NumPy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from clocks import spin
from knobs_loop import Speed, knobs

import goldsplit


class Puzzle:
    def __init__(self, seed: int, step_us: float) -> None:
        self.random, self.step_us, self.turn = random.Random(seed), step_us, 0

    def reset(self) -> Any:
        self.turn = 0
        return np.zeros(32, dtype=np.float32)

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        self.turn += 1
        spin(self.random.uniform(0.6, 1.4) * self.step_us)
        return np.full(32, self.turn % 7, dtype=np.float32), 1.0, self.turn >= 200, {}


class Learner:
    """Choosing actions is a pass over one batch, whatever its size; an update is matrices and Python."""

    def __init__(self, act_us: float, learn_us: float) -> None:
        self.act_us, self.learn_us = act_us, learn_us
        self.weights = np.random.default_rng(1).random((32, 4), dtype=np.float32)

    def select_actions(self, observations: Any) -> Any:
        spin(self.act_us)
        return (observations @ self.weights).argmax(axis=1)

    def optimize(self, observations: Any) -> None:
        spin(self.learn_us)
        self.weights += 1e-6 * (observations.T @ (observations @ self.weights))
        goldsplit.count("updates")


def main() -> None:
    args = knobs("one thread", envs=4, step_us=400.0, act_us=600.0, learn_us=900.0, updates_per_step=0.5)
    games = [Puzzle(seed, args.step_us) for seed in range(args.envs)]
    learner = Learner(args.act_us, args.learn_us)
    observations = np.stack([game.reset() for game in games])
    speed, owed = Speed(args.seconds), 0.0
    while speed.going_on(args.envs):
        actions = learner.select_actions(observations)
        results = [game.step(int(action)) for game, action in zip(games, actions, strict=True)]
        rows = [game.reset() if done else row for game, (row, _, done, _) in zip(games, results, strict=True)]
        observations = np.stack(rows)
        owed += args.updates_per_step * args.envs
        while owed >= 1.0:
            learner.optimize(observations)
            owed -= 1.0
    speed.tell()


if __name__ == "__main__":
    main()
