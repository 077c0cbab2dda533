# SAC for my kart, after CleanRL's sac_continuous_action.py
import json
import os
import random
import time
from collections import defaultdict
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

from track import TrackEnv


@dataclass
class Args:
    exp_name: str = "kart_sac"
    seed: int = 1
    buffer_size: int = 100_000
    gamma: float = 0.98
    tau: float = 0.005
    batch_size: int = 128
    learning_starts: int = 500
    train_frequency: int = 8
    policy_lr: float = 3e-4
    q_lr: float = 1e-3
    policy_frequency: int = 2
    target_network_frequency: int = 1
    save_every: int = 500
    seconds: float = float(os.environ.get("WILD_SECONDS", 20))


class ReplayBuffer:
    def __init__(self, size, obs_dim, act_dim):
        self.obs = np.zeros((size, obs_dim), np.float32)
        self.next_obs = np.zeros((size, obs_dim), np.float32)
        self.actions = np.zeros((size, act_dim), np.float32)
        self.rewards = np.zeros(size, np.float32)
        self.dones = np.zeros(size, np.float32)
        self.size, self.pos, self.full = size, 0, False

    def add(self, obs, next_obs, action, reward, done):
        p = self.pos
        self.obs[p] = obs
        self.next_obs[p] = next_obs
        self.actions[p] = action
        self.rewards[p] = reward
        self.dones[p] = done
        self.pos = (p + 1) % self.size
        self.full = self.full or self.pos == 0

    def sample(self, n):
        idx = np.random.randint(0, self.size if self.full else self.pos, size=n)
        return [torch.from_numpy(x[idx]) for x in (self.obs, self.next_obs, self.actions, self.rewards, self.dones)]


class SoftQNetwork(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim + act_dim, 128)
        self.fc2 = nn.Linear(128, 128)
        self.fc3 = nn.Linear(128, 1)

    def forward(self, x, a):
        x = torch.cat([x, a], 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


LOG_STD_MAX = 2
LOG_STD_MIN = -5


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim, 128)
        self.fc2 = nn.Linear(128, 128)
        self.fc_mean = nn.Linear(128, act_dim)
        self.fc_logstd = nn.Linear(128, act_dim)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        mean = self.fc_mean(x)
        log_std = torch.tanh(self.fc_logstd(x))
        log_std = LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)
        return mean, log_std

    def get_action(self, x):
        mean, log_std = self(x)
        normal = torch.distributions.Normal(mean, log_std.exp())
        x_t = normal.rsample()
        y_t = torch.tanh(x_t)
        log_prob = normal.log_prob(x_t) - torch.log(1 - y_t.pow(2) + 1e-6)
        return y_t, log_prob.sum(1, keepdim=True)


if __name__ == "__main__":
    args = Args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    run_name = f"{args.exp_name}__{args.seed}"

    timers = defaultdict(float)
    env = gym.wrappers.RecordEpisodeStatistics(TrackEnv(timers))
    obs_dim, act_dim = env.observation_space.shape[0], env.action_space.shape[0]

    actor = Actor(obs_dim, act_dim)
    qf1, qf2 = SoftQNetwork(obs_dim, act_dim), SoftQNetwork(obs_dim, act_dim)
    qf1_target, qf2_target = SoftQNetwork(obs_dim, act_dim), SoftQNetwork(obs_dim, act_dim)
    qf1_target.load_state_dict(qf1.state_dict())
    qf2_target.load_state_dict(qf2.state_dict())
    q_optimizer = optim.Adam(list(qf1.parameters()) + list(qf2.parameters()), lr=args.q_lr)
    actor_optimizer = optim.Adam(list(actor.parameters()), lr=args.policy_lr)
    target_entropy = -float(act_dim)
    log_alpha = torch.zeros(1, requires_grad=True)
    alpha = log_alpha.exp().item()
    a_optimizer = optim.Adam([log_alpha], lr=args.q_lr)

    rb = ReplayBuffer(args.buffer_size, obs_dim, act_dim)

    # fill the buffer with random driving (not part of the clocks)
    obs, _ = env.reset(seed=args.seed)
    for _ in range(args.learning_starts):
        action = env.action_space.sample()
        next_obs, reward, terminated, truncated, info = env.step(action)
        rb.add(obs, next_obs, action, reward, terminated)
        obs = next_obs
        if terminated or truncated:
            obs, _ = env.reset()

    # start the game
    timers.clear()
    n_optim = 0
    n_episodes = 0
    global_step = 0
    returns = []
    log_file = open(f"{run_name}.csv", "w")
    start_time = time.perf_counter()

    t = time.perf_counter()
    o = timers["env.observe"]
    obs, _ = env.reset()
    timers["env.reset"] += time.perf_counter() - t - (timers["env.observe"] - o)

    while time.perf_counter() - start_time < args.seconds:
        # ALGO LOGIC: put action logic here
        t = time.perf_counter()
        with torch.no_grad():
            action, _ = actor.get_action(torch.from_numpy(obs).unsqueeze(0))
            action = action[0].numpy()
        timers["act"] += time.perf_counter() - t

        # TRY NOT TO MODIFY: execute the game and log data.
        t = time.perf_counter()
        o = timers["env.observe"]
        next_obs, reward, terminated, truncated, info = env.step(action)
        timers["env.step"] += time.perf_counter() - t - (timers["env.observe"] - o)
        global_step += 1

        # TRY NOT TO MODIFY: save data to replay buffer
        t = time.perf_counter()
        rb.add(obs, next_obs, action, reward, terminated)
        timers["replay.add"] += time.perf_counter() - t

        # TRY NOT TO MODIFY: CRUCIAL step easy to overlook
        obs = next_obs
        if terminated or truncated:
            n_episodes += 1
            t = time.perf_counter()
            returns.append(float(info["episode"]["r"]))
            log_file.write(f"{global_step},{returns[-1]:.2f},{info['episode']['l']},{info['progress']}\n")
            if n_episodes % 10 == 0:
                print(f"global_step={global_step}, episodic_return={np.mean(returns[-10:]):.2f}, alpha={alpha:.3f}", flush=True)
            timers["log"] += time.perf_counter() - t
            t = time.perf_counter()
            o = timers["env.observe"]
            obs, _ = env.reset()
            timers["env.reset"] += time.perf_counter() - t - (timers["env.observe"] - o)

        # ALGO LOGIC: training.
        if global_step % args.train_frequency == 0:
            t = time.perf_counter()
            b_obs, b_next_obs, b_actions, b_rewards, b_dones = rb.sample(args.batch_size)
            t2 = time.perf_counter()
            timers["replay.sample"] += t2 - t

            with torch.no_grad():
                next_actions, next_log_pi = actor.get_action(b_next_obs)
                qf1_next_target = qf1_target(b_next_obs, next_actions)
                qf2_next_target = qf2_target(b_next_obs, next_actions)
                min_qf_next_target = torch.min(qf1_next_target, qf2_next_target) - alpha * next_log_pi
                next_q_value = b_rewards + (1 - b_dones) * args.gamma * min_qf_next_target.view(-1)

            qf1_loss = F.mse_loss(qf1(b_obs, b_actions).view(-1), next_q_value)
            qf2_loss = F.mse_loss(qf2(b_obs, b_actions).view(-1), next_q_value)
            qf_loss = qf1_loss + qf2_loss
            q_optimizer.zero_grad()
            qf_loss.backward()
            q_optimizer.step()
            n_optim += 1

            if (global_step // args.train_frequency) % args.policy_frequency == 0:  # TD3 Delayed update support
                for _ in range(args.policy_frequency):
                    pi, log_pi = actor.get_action(b_obs)
                    min_qf_pi = torch.min(qf1(b_obs, pi), qf2(b_obs, pi))
                    actor_loss = ((alpha * log_pi) - min_qf_pi).mean()
                    actor_optimizer.zero_grad()
                    actor_loss.backward()
                    actor_optimizer.step()

                    with torch.no_grad():
                        _, log_pi = actor.get_action(b_obs)
                    alpha_loss = (-log_alpha.exp() * (log_pi + target_entropy)).mean()
                    a_optimizer.zero_grad()
                    alpha_loss.backward()
                    a_optimizer.step()
                    alpha = log_alpha.exp().item()
                    n_optim += 2

            # update the target networks
            if global_step % args.target_network_frequency == 0:
                for param, target_param in zip(qf1.parameters(), qf1_target.parameters()):
                    target_param.data.copy_(args.tau * param.data + (1 - args.tau) * target_param.data)
                for param, target_param in zip(qf2.parameters(), qf2_target.parameters()):
                    target_param.data.copy_(args.tau * param.data + (1 - args.tau) * target_param.data)
            timers["learn.*"] += time.perf_counter() - t2

        if global_step % args.save_every == 0:
            t = time.perf_counter()
            torch.save({"actor": actor.state_dict(), "qf1": qf1.state_dict(), "qf2": qf2.state_dict()}, f"{run_name}.pt")
            timers["checkpoint"] += time.perf_counter() - t

    wall = time.perf_counter() - start_time
    log_file.close()
    stages = dict(timers)
    stages["other"] = wall - sum(stages.values())
    print("SPS:", int(global_step / wall))
    if "WILD_TRUTH" in os.environ:
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": global_step, "episodes": n_episodes,
                       "updates": n_optim}, f, indent=2)
    env.close()
