"""Actor-critic on sixteen arenas, each in its own process."""

import time

import numpy as np
from arena import ArenaEnv
from gymnasium.vector import AsyncVectorEnv
from learner import Learner, discounted

SECONDS = 4.0
ENVS = 16
ROLLOUT = 32
INPUTS = 8
ACTIONS = 4


def main() -> None:
    envs = AsyncVectorEnv([ArenaEnv] * ENVS)  # fault
    learner = Learner(INPUTS, ACTIONS)
    observations, _ = envs.reset(seed=0)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        seen = np.zeros((ROLLOUT, ENVS, INPUTS), np.float32)
        taken = np.zeros((ROLLOUT, ENVS), np.int64)
        rewards = np.zeros((ROLLOUT, ENVS), np.float32)
        ends = np.zeros((ROLLOUT, ENVS), bool)
        for step in range(ROLLOUT):
            seen[step], taken[step] = observations, learner.act(observations)
            observations, rewards[step], terminated, truncated, _ = envs.step(taken[step])
            ends[step] = terminated | truncated
        returns = discounted(rewards, ends)
        learner.update_policy(seen.reshape(-1, INPUTS), taken.reshape(-1), returns.reshape(-1))
    envs.close()


if __name__ == "__main__":
    main()
