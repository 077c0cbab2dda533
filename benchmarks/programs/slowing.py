"""A run that slows down: each step searches a history that grows, like a list that is never cleared."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
from clocks import STEP, Truth, program_arguments, spin
from dqn import Agent, ReplayMemory, seed_everything

OBSERVATION_SIZE = 32


class Explorer:
    def __init__(self, seed: int, growth_us: float) -> None:
        self.random = random.Random(seed)
        self.growth_us = growth_us
        self.visited: list[int] = []
        self.turn = 0

    def reset(self) -> Any:
        self.turn = 0
        return self.observe()

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        self.turn += 1
        self.visited.append(action)  # never cleared: the fault
        spin(200 + self.growth_us * len(self.visited))
        return self.observe(), float(action), self.random.random() < 0.02, {}

    def observe(self) -> Any:
        return np.full(OBSERVATION_SIZE, self.turn / 100.0, dtype=np.float32)


def main() -> None:
    args = program_arguments("a step that costs more and more", growth_us=2.0).parse_args()
    seed_everything(args.seed)
    truth = Truth("slowing", args.seconds, args.steps)
    env = Explorer(args.seed, args.growth_us)
    agent = Agent(truth, OBSERVATION_SIZE, 4)
    memory = ReplayMemory(20_000, OBSERVATION_SIZE)
    time.sleep(args.startup)
    observation = env.reset()
    while truth.keep_going():
        with truth.clock("act"):
            action = agent.select_action(observation)
        with truth.clock(STEP):
            next_observation, reward, done, _ = env.step(action)
        truth.count(env_steps=1, episodes=int(done))
        with truth.clock("replay.add"):
            memory.push(observation, action, reward, next_observation, done)
        observation = next_observation
        if done:
            with truth.clock("env.reset"):
                observation = env.reset()
        if truth.counts["env_steps"] % 4 == 0:
            with truth.clock("replay.sample"):
                batch = memory.sample(64)
            agent.optimize(batch)
    truth.finish()


if __name__ == "__main__":
    main()
