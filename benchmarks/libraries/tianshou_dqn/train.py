# DQN with tianshou's parts, looped by hand: collectors, a vector replay buffer, a vector environment.
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np
import torch
from games import Courier
from laps import CLOCK, COUNTS
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net
from tianshou.utils.space_info import SpaceInfo


class Clocked(DQN):
    def _update_with_batch(self, batch):
        COUNTS.add("updates")
        return super()._update_with_batch(batch)


def main():
    torch.set_num_threads(1)
    np.random.seed(0)
    torch.manual_seed(0)
    env = Courier()
    envs = DummyVectorEnv([Courier for _ in range(4)])
    space = SpaceInfo.from_env(env)
    net = Net(
        state_shape=space.observation_info.obs_shape,
        action_shape=space.action_info.action_shape,
        hidden_sizes=[128, 128],
    )
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
    algorithm = Clocked(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=0.97,
        n_step_return_horizon=3,
        target_update_freq=200,
    )
    buffer = VectorReplayBuffer(20000, 4)
    collector = Collector[CollectStats](algorithm, envs, buffer, exploration_noise=True)
    collector.reset()
    CLOCK.around(DummyVectorEnv, step="vec.*", reset="vec.*")
    CLOCK.around(VectorReplayBuffer, add="replay.add", sample="replay.sample")
    CLOCK.around(Collector, _compute_action_policy_hidden="act", collect="rollout")
    CLOCK.around(Clocked, update="learn.*")
    CLOCK.restart()
    collected = 0
    while not CLOCK.over():
        stats = collector.collect(n_step=64)
        collected += stats.n_collected_steps
        if collected > 500:
            for _ in range(16):
                with policy_training(algorithm):
                    algorithm.update(buffer=buffer, sample_size=64)
    CLOCK.write("rollout = the collector's own code; resets of ended environments are its own calls")


def policy_training(algorithm):
    from tianshou.utils.torch_utils import policy_within_training_step

    return policy_within_training_step(algorithm.policy)


if __name__ == "__main__":
    main()
