# SAC with continuous actions in one file, as CleanRL writes it: two critics, an actor updated twice every
# other step, a learned temperature, soft target updates.
import os
import sys
from dataclasses import dataclass

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from games import Steered
from laps import CLOCK, COUNTS
from stable_baselines3.common.buffers import ReplayBuffer


@dataclass
class Args:
    gamma: float = 0.99
    tau: float = 0.005
    batch_size: int = 128
    learning_starts: int = 200
    policy_frequency: int = 2
    target_network_frequency: int = 1


def make_env():
    return gym.wrappers.RecordEpisodeStatistics(Steered())


class SoftQNetwork(nn.Module):
    def __init__(self, env):
        super().__init__()
        size = np.array(env.single_observation_space.shape).prod() + np.prod(env.single_action_space.shape)
        self.fc1, self.fc2, self.fc3 = nn.Linear(size, 128), nn.Linear(128, 128), nn.Linear(128, 1)

    def forward(self, x, a):
        x = F.relu(self.fc1(torch.cat([x, a], 1)))
        return self.fc3(F.relu(self.fc2(x)))


class Actor(nn.Module):
    def __init__(self, env):
        super().__init__()
        self.fc1, self.fc2 = (
            nn.Linear(np.array(env.single_observation_space.shape).prod(), 128),
            nn.Linear(128, 128),
        )
        outputs = int(np.prod(env.single_action_space.shape))
        self.fc_mean, self.fc_logstd = nn.Linear(128, outputs), nn.Linear(128, outputs)

    def forward(self, x):
        x = F.relu(self.fc2(F.relu(self.fc1(x))))
        return self.fc_mean(x), -1.5 + 3.5 * torch.tanh(self.fc_logstd(x))

    def get_action(self, x):
        mean, log_std = self(x)
        normal = torch.distributions.Normal(mean, log_std.exp())
        x_t = normal.rsample()
        y_t = torch.tanh(x_t)
        log_prob = (normal.log_prob(x_t) - torch.log(1 - y_t.pow(2) + 1e-6)).sum(1, keepdim=True)
        return y_t, log_prob, torch.tanh(mean)


if __name__ == "__main__":
    args = Args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    device = torch.device("cpu")
    envs = gym.vector.SyncVectorEnv([make_env], autoreset_mode=gym.vector.AutoresetMode.SAME_STEP)
    actor, qf1, qf2 = Actor(envs), SoftQNetwork(envs), SoftQNetwork(envs)
    qf1_target, qf2_target = SoftQNetwork(envs), SoftQNetwork(envs)
    qf1_target.load_state_dict(qf1.state_dict())
    qf2_target.load_state_dict(qf2.state_dict())
    q_optimizer = optim.Adam(list(qf1.parameters()) + list(qf2.parameters()), lr=1e-3)
    actor_optimizer = optim.Adam(actor.parameters(), lr=3e-4)
    target_entropy = -torch.prod(torch.Tensor(envs.single_action_space.shape)).item()
    log_alpha = torch.zeros(1, requires_grad=True)
    a_optimizer = optim.Adam([log_alpha], lr=1e-3)
    alpha = log_alpha.exp().item()
    rb = ReplayBuffer(
        20000,
        envs.single_observation_space,
        envs.single_action_space,
        device,
        handle_timeout_termination=False,
    )
    CLOCK.restart()
    with CLOCK("vec.*"):
        obs, _ = envs.reset(seed=1)
    global_step = 0
    while not CLOCK.over():
        if global_step < args.learning_starts:
            actions = np.array([envs.single_action_space.sample() for _ in range(envs.num_envs)])
        else:
            with CLOCK("act"):
                actions, _, _ = actor.get_action(torch.Tensor(obs).to(device))
                actions = actions.detach().cpu().numpy()
        with CLOCK("vec.*"):
            next_obs, rewards, terminations, truncations, infos = envs.step(actions)
        real_next_obs = next_obs.copy()
        for idx, trunc in enumerate(truncations):
            if trunc:
                real_next_obs[idx] = infos["final_obs"][idx]
        with CLOCK("replay.add"):
            rb.add(obs, real_next_obs, actions, rewards, terminations, infos)
        obs = next_obs
        if global_step > args.learning_starts:
            with CLOCK("replay.sample"):
                data = rb.sample(args.batch_size)
            with CLOCK("learn.*"):
                with torch.no_grad():
                    next_state_actions, next_state_log_pi, _ = actor.get_action(data.next_observations)
                    qf1_next_target = qf1_target(data.next_observations, next_state_actions)
                    qf2_next_target = qf2_target(data.next_observations, next_state_actions)
                    min_qf_next = torch.min(qf1_next_target, qf2_next_target) - alpha * next_state_log_pi
                    next_q_value = data.rewards.flatten() + (
                        1 - data.dones.flatten()
                    ) * args.gamma * min_qf_next.view(-1)
                qf1_loss = F.mse_loss(qf1(data.observations, data.actions).view(-1), next_q_value)
                qf2_loss = F.mse_loss(qf2(data.observations, data.actions).view(-1), next_q_value)
                qf_loss = qf1_loss + qf2_loss
                q_optimizer.zero_grad()
                qf_loss.backward()
                q_optimizer.step()
                COUNTS.add("updates")
                if global_step % args.policy_frequency == 0:
                    for _ in range(args.policy_frequency):
                        pi, log_pi, _ = actor.get_action(data.observations)
                        min_qf_pi = torch.min(qf1(data.observations, pi), qf2(data.observations, pi))
                        actor_loss = ((alpha * log_pi) - min_qf_pi).mean()
                        actor_optimizer.zero_grad()
                        actor_loss.backward()
                        actor_optimizer.step()
                        with torch.no_grad():
                            _, log_pi, _ = actor.get_action(data.observations)
                        alpha_loss = (-log_alpha.exp() * (log_pi + target_entropy)).mean()
                        a_optimizer.zero_grad()
                        alpha_loss.backward()
                        a_optimizer.step()
                        alpha = log_alpha.exp().item()
                if global_step % args.target_network_frequency == 0:
                    for net, target in ((qf1, qf1_target), (qf2, qf2_target)):
                        for param, target_param in zip(net.parameters(), target.parameters()):
                            target_param.data.copy_(
                                args.tau * param.data + (1 - args.tau) * target_param.data
                            )
            if global_step % 200 == 0:
                with CLOCK("log"):
                    print(f"step {global_step} qf_loss {qf_loss.item():.3f} alpha {alpha:.3f}")
        global_step += 1
    CLOCK.write("updates = steps of the critics' optimizer, the busiest one by a few")
    envs.close()
