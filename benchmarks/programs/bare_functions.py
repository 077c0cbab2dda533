"""Plain module-level functions and no class at all: nothing to hook, so stages are known from stacks only."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
from clocks import Truth, program_arguments, spin

SIZE = 64
dice = random.Random(3)
weights = np.zeros((SIZE, 4))
rows: list[tuple[Any, int, float, Any]] = []


def env_reset() -> Any:
    time.sleep(0.002)
    return np.zeros(SIZE)


def env_step(observation: Any, action: int) -> tuple[Any, float, bool]:
    spin(dice.uniform(500, 1500))
    return observation + 0.01, float(action == 1), dice.random() < 0.02


def select_action(observation: Any) -> int:
    spin(dice.uniform(150, 350))
    return int((observation @ weights).argmax()) if dice.random() > 0.1 else dice.randrange(4)


def push(observation: Any, action: int, reward: float, next_observation: Any) -> None:
    spin(60)
    rows.append((observation, action, reward, next_observation))
    if len(rows) > 5000:
        del rows[:2500]


def sample_batch(size: int) -> list[tuple[Any, int, float, Any]]:
    spin(150)
    return [rows[dice.randrange(len(rows))] for _ in range(size)]


def optimize(batch: list[tuple[Any, int, float, Any]]) -> None:
    spin(dice.uniform(400, 800))
    for observation, action, reward, next_observation in batch:
        target = reward + 0.9 * (next_observation @ weights).max()
        weights[:, action] += 1e-4 * (target - observation @ weights[:, action]) * observation


def main() -> None:
    args = program_arguments("functions only").parse_args()
    truth = Truth("bare_functions", args.seconds, args.steps)
    time.sleep(args.startup)
    observation = env_reset()
    while truth.keep_going():
        with truth.clock("act"):
            action = select_action(observation)
        with truth.clock("env.step"):
            next_observation, reward, done = env_step(observation, action)
        truth.count(env_steps=1, episodes=int(done))
        with truth.clock("replay.add"):
            push(observation, action, reward, next_observation)
        observation = next_observation
        if done:
            with truth.clock("env.reset"):
                observation = env_reset()
        with truth.clock("replay.sample"):
            batch = sample_batch(32)
        # One function learns: forward, loss, backward and optimizer cannot be told apart here.
        with truth.clock("learn.*"):
            optimize(batch)
        truth.count(updates=1)
    truth.finish()


if __name__ == "__main__":
    main()
