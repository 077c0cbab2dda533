"""A real DQN in PyTorch on Gymnasium's synchronous vector environment, one process."""

from __future__ import annotations

import functools

import gymnasium
import numpy as np
from clocks import Truth
from dqn import Agent, ReplayMemory, seed_everything
from hill_env import OBSERVATION_SIZE, HillEnv
from knobs_loop import Speed, knobs, warm_up_torch


def main() -> None:
    args = knobs("DQN on SyncVectorEnv", envs=4, step_us=300.0, updates_per_step=0.5)
    seed_everything(5)
    warm_up_torch()
    games = gymnasium.vector.SyncVectorEnv(
        [functools.partial(HillEnv, i, args.step_us) for i in range(args.envs)]
    )
    agent = Agent(Truth("knobs_dqn", 0.0, None), OBSERVATION_SIZE, 4)
    memory = ReplayMemory(20_000, OBSERVATION_SIZE)
    observations, _ = games.reset()
    speed, owed = Speed(args.seconds), 0.0
    while speed.going_on(args.envs):
        actions = np.array(agent.select_actions(observations))
        following, rewards, ended, _, _ = games.step(actions)
        for i in range(args.envs):
            memory.push(observations[i], int(actions[i]), float(rewards[i]), following[i], bool(ended[i]))
        observations = following
        owed += args.updates_per_step * args.envs
        while memory.size >= 64 and owed >= 1.0:
            agent.optimize(memory.sample(64))
            owed -= 1.0
    speed.tell()


if __name__ == "__main__":
    main()
