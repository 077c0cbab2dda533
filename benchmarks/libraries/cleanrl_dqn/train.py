# DQN in one file with the replay buffer of Stable-Baselines3, as CleanRL writes it.
import os
import random
import sys
import tempfile
from dataclasses import dataclass

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from games import Courier
from laps import CLOCK, COUNTS
from stable_baselines3.common.buffers import ReplayBuffer
from torch.utils.tensorboard import SummaryWriter


@dataclass
class Args:
    seed: int = 1
    learning_rate: float = 2.5e-4
    num_envs: int = 1
    buffer_size: int = 10000
    gamma: float = 0.99
    tau: float = 1.0
    target_network_frequency: int = 500
    batch_size: int = 128
    learning_starts: int = 300
    train_frequency: int = 2


def make_env(seed):
    def thunk():
        env = gym.wrappers.RecordEpisodeStatistics(Courier())
        env.action_space.seed(seed)
        return env

    return thunk


class QNetwork(nn.Module):
    def __init__(self, env):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(np.array(env.single_observation_space.shape).prod(), 120),
            nn.ReLU(),
            nn.Linear(120, 84),
            nn.ReLU(),
            nn.Linear(84, env.single_action_space.n),
        )

    def forward(self, x):
        return self.network(x)


if __name__ == "__main__":
    args = Args()
    writer = SummaryWriter(tempfile.mkdtemp())
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    envs = gym.vector.SyncVectorEnv(
        [make_env(args.seed + i) for i in range(args.num_envs)],
        autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
    )
    q_network = QNetwork(envs).to(device)
    optimizer = optim.Adam(q_network.parameters(), lr=args.learning_rate)
    target_network = QNetwork(envs).to(device)
    target_network.load_state_dict(q_network.state_dict())
    rb = ReplayBuffer(
        args.buffer_size,
        envs.single_observation_space,
        envs.single_action_space,
        device,
        handle_timeout_termination=False,
    )
    CLOCK.restart()
    with CLOCK("vec.*"):
        obs, _ = envs.reset(seed=args.seed)
    global_step = 0
    while not CLOCK.over():
        epsilon = max(0.05, 1 - 0.95 * global_step / 2000)
        if random.random() < epsilon:
            actions = np.array([envs.single_action_space.sample() for _ in range(envs.num_envs)])
        else:
            with CLOCK("act"):
                q_values = q_network(torch.Tensor(obs).to(device))
                actions = torch.argmax(q_values, dim=1).cpu().numpy()
        with CLOCK("vec.*"):
            next_obs, rewards, terminations, truncations, infos = envs.step(actions)
        if "final_info" in infos and "episode" in infos["final_info"]:
            with CLOCK("log"):
                writer.add_scalar(
                    "charts/episodic_return", infos["final_info"]["episode"]["r"][0], global_step
                )
        real_next_obs = next_obs.copy()
        for idx, trunc in enumerate(truncations):
            if trunc:
                real_next_obs[idx] = infos["final_obs"][idx]
        with CLOCK("replay.add"):
            rb.add(obs, real_next_obs, actions, rewards, terminations, infos)
        obs = next_obs
        if global_step > args.learning_starts:
            if global_step % args.train_frequency == 0:
                with CLOCK("replay.sample"):
                    data = rb.sample(args.batch_size)
                with CLOCK("learn.*"):
                    with torch.no_grad():
                        target_max, _ = target_network(data.next_observations).max(dim=1)
                        td_target = data.rewards.flatten() + args.gamma * target_max * (
                            1 - data.dones.flatten()
                        )
                    old_val = q_network(data.observations).gather(1, data.actions).squeeze()
                    loss = F.mse_loss(td_target, old_val)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                    COUNTS.add("updates")
                if global_step % 100 == 0:
                    with CLOCK("log"):
                        writer.add_scalar("losses/td_loss", loss, global_step)
                        writer.add_scalar("losses/q_values", old_val.mean().item(), global_step)
            if global_step % args.target_network_frequency == 0:
                for target_param, param in zip(target_network.parameters(), q_network.parameters()):
                    target_param.data.copy_(args.tau * param.data + (1.0 - args.tau) * target_param.data)
        global_step += 1
    CLOCK.write("epsilon-greedy's random actions are in other")
    envs.close()
    writer.close()
