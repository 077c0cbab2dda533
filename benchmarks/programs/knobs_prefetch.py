"""A thread prepares the next batch while the learner learns: making overlapped work faster saves nothing."""

from __future__ import annotations

import queue
import random
import threading
from typing import Any

import numpy as np
from knobs_loop import Speed, knobs, work

import goldsplit


class Corridor:
    def __init__(self, step_us: float) -> None:
        self.random, self.step_us, self.turn = random.Random(3), step_us, 0

    def reset(self) -> Any:
        self.turn = 0
        return np.zeros(8, dtype=np.float32)

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        self.turn += 1
        work(self.random.uniform(0.8, 1.2) * self.step_us, 0.0)
        return np.full(8, self.turn % 3, dtype=np.float32), 1.0, self.turn >= 50, {}


class ReplayMemory:
    """Batches come from a store on disk: mostly waiting."""

    def __init__(self, sample_us: float) -> None:
        self.random, self.sample_us = random.Random(4), sample_us

    def sample(self) -> Any:
        work(self.random.uniform(0.6, 1.4) * self.sample_us, 0.0)
        return np.zeros((64, 8), dtype=np.float32)


class Learner:
    def __init__(self, learn_us: float) -> None:
        self.learn_us = learn_us

    def select_action(self, observation: Any) -> int:
        work(300, 0.0)
        return 0

    def optimize(self, batch: Any) -> None:
        work(self.learn_us, 0.0)  # a device computes
        goldsplit.count("updates")


def main() -> None:
    args = knobs("a prefetch thread", step_us=600.0, sample_us=6000.0, learn_us=2500.0)
    env, memory, learner = Corridor(args.step_us), ReplayMemory(args.sample_us), Learner(args.learn_us)
    ready: queue.Queue[Any] = queue.Queue(maxsize=1)

    def prefetch() -> None:
        while True:
            ready.put(memory.sample())

    threading.Thread(target=prefetch, name="prefetch", daemon=True).start()
    observation = env.reset()
    speed = Speed(args.seconds)
    while speed.going_on(1):
        observation, _, done, _ = env.step(learner.select_action(observation))
        if done:
            observation = env.reset()
        learner.optimize(ready.get())
    speed.tell()


if __name__ == "__main__":
    main()
