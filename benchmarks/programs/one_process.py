"""One process, one thread: the user's own maze, a replay memory, a DQN."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
from clocks import STEP, Truth, program_arguments, spin
from dqn import Agent, ReplayMemory, seed_everything

OBSERVATION_SIZE = 64


class Maze:
    """Not a Gymnasium environment: just a class with reset and step."""

    def __init__(self, seed: int, step_us: float) -> None:
        self.random = random.Random(seed)
        self.step_us = step_us
        self.turn = 0

    def reset(self) -> Any:
        time.sleep(self.random.uniform(0.001, 0.004))
        self.turn = 0
        return self.observe()

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        self.turn += 1
        spin(self.random.uniform(0.5, 1.5) * self.step_us)
        done = self.random.random() < 0.03
        return self.observe(), 1.0 if action == self.turn % 4 else 0.0, done, {"turn": self.turn}

    def observe(self) -> Any:
        return np.full(OBSERVATION_SIZE, self.turn / 100.0, dtype=np.float32)


def main() -> None:
    parser = program_arguments("one process with known stage costs", step_us=800.0, learn_every=1)
    args = parser.parse_args()
    seed_everything(args.seed)
    truth = Truth("one_process", args.seconds, args.steps)
    env = Maze(args.seed, args.step_us)
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
        if memory.size >= 64 and truth.counts["env_steps"] % args.learn_every == 0:
            with truth.clock("replay.sample"):
                batch = memory.sample(64)
            agent.optimize(batch)
    truth.finish()


if __name__ == "__main__":
    main()
