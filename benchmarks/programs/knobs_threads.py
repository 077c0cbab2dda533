"""A thread pool of games that wait for a server, in lock-step; one learner."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from knobs_loop import Speed, knobs, work

import goldsplit


class ServerBattle:
    def __init__(self, seed: int, step_us: float) -> None:
        self.random, self.step_us, self.turn = random.Random(seed), step_us, 0

    def reset(self) -> Any:
        self.turn = 0
        return np.zeros(8, dtype=np.float32)

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        self.turn += 1
        work(self.random.uniform(0.5, 1.5) * self.step_us, 0.0)
        return np.full(8, self.turn % 3, dtype=np.float32), 1.0, self.turn >= 60, {}


class Learner:
    def __init__(self, learn_us: float) -> None:
        self.learn_us = learn_us

    def select_actions(self, observations: Any) -> list[int]:
        work(700, 0.0)
        return [0] * len(observations)

    def optimize(self) -> None:
        work(self.learn_us, 0.0)
        goldsplit.count("updates")


def main() -> None:
    args = knobs("threads", envs=4, step_us=5000.0, learn_us=800.0, updates_per_step=0.5)
    games = [ServerBattle(seed, args.step_us) for seed in range(args.envs)]
    learner = Learner(args.learn_us)
    observations = [game.reset() for game in games]
    speed, owed = Speed(args.seconds), 0.0
    with ThreadPoolExecutor(args.envs) as pool:
        while speed.going_on(args.envs):
            actions = learner.select_actions(observations)
            results = list(pool.map(lambda pair: pair[0].step(pair[1]), zip(games, actions, strict=True)))
            observations = [result[0] for result in results]
            owed += args.updates_per_step * args.envs
            while owed >= 1.0:
                learner.optimize()
                owed -= 1.0
    speed.tell()


if __name__ == "__main__":
    main()
