"""Actor-critic that explores with legal random moves, on two arenas in processes."""

import time

import numpy as np
from arena import ArenaEnv
from learner import Learner, discounted
from stable_baselines3.common.vec_env import SubprocVecEnv

SECONDS = 4.0
ENVS = 2
ROLLOUT = 32
INPUTS = 8
EXPLORE = 0.5
RNG = np.random.default_rng(0)


def choose(envs, learner, observations):
    """Half of the moves are random and drawn by the workers; the others must be legal too."""
    masks = np.stack(envs.env_method("action_masks"))  # fault
    randoms = np.array(envs.env_method("sample_action"))
    chosen = learner.act(observations)
    legal = masks[np.arange(ENVS), chosen]
    return np.where(legal & (RNG.random(ENVS) > EXPLORE), chosen, randoms)


def main() -> None:
    envs = SubprocVecEnv([ArenaEnv] * ENVS, start_method="fork")
    learner = Learner(INPUTS, 4)
    observations = envs.reset()
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        seen = np.zeros((ROLLOUT, ENVS, INPUTS), np.float32)
        taken = np.zeros((ROLLOUT, ENVS), np.int64)
        rewards = np.zeros((ROLLOUT, ENVS), np.float32)
        ends = np.zeros((ROLLOUT, ENVS), bool)
        for step in range(ROLLOUT):
            seen[step] = observations
            taken[step] = choose(envs, learner, observations)
            observations, rewards[step], ends[step], _ = envs.step(taken[step])
        returns = discounted(rewards, ends)
        learner.update_policy(seen.reshape(-1, INPUTS), taken.reshape(-1), returns.reshape(-1))
    envs.close()


if __name__ == "__main__":
    main()
