"""PPO-like training on eight worlds: rollout, advantages, one update."""

import time

import numpy as np
import torch
from torch import nn
from worlds import N_ACTIONS, N_OBS, Worlds

ENVS = 8
STEPS = 16


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(N_OBS, 64), nn.Tanh())
        self.actor = nn.Linear(64, N_ACTIONS)
        self.critic = nn.Linear(64, 1)

    def forward(self, obs):
        hidden = self.trunk(obs)
        return self.actor(hidden).log_softmax(-1), self.critic(hidden).squeeze(-1)


def compute_gae(rewards, values, dones, last_value, gamma=0.99, lam=0.95):
    going_on = 1.0 - dones.numpy()
    following = np.concatenate([values.numpy()[1:], last_value.numpy()[None]])
    advantages = rewards.numpy() + gamma * following * going_on - values.numpy()
    factors = gamma * lam * going_on
    for t in reversed(range(STEPS - 1)):
        advantages[t] += factors[t] * advantages[t + 1]
    advantages = torch.from_numpy(advantages)
    return advantages, advantages + values


def collect(policy, envs, obs):
    """One rollout, as tensors of shape (STEPS, ENVS, ...)."""
    seen = torch.zeros(STEPS, ENVS, N_OBS)
    actions = torch.zeros(STEPS, ENVS, dtype=torch.int64)
    rest = torch.zeros(4, STEPS, ENVS)
    for t in range(STEPS):
        seen[t] = torch.from_numpy(obs)
        with torch.no_grad():
            log_probs, rest[0, t] = policy(seen[t])
            actions[t] = log_probs.exp().multinomial(1).squeeze(1)
            rest[1, t] = log_probs.gather(1, actions[t, :, None]).squeeze(1)
        obs, rewards, dones, _ = envs.step(actions[t].numpy())
        rest[2, t], rest[3, t] = torch.from_numpy(rewards), torch.from_numpy(dones)
    return obs, seen, actions, rest


def ppo_update(policy, optimizer, seen, actions, old_log_probs, advantages, returns):
    log_probs, values = policy(seen)
    chosen = log_probs.gather(-1, actions[..., None]).squeeze(-1)
    ratio = (chosen - old_log_probs).exp()
    gain = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
    entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
    loss = 0.5 * (values - returns).pow(2).mean() - gain - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def main(seconds):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    envs = Worlds(ENVS)
    obs = envs.reset()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        obs, seen, actions, (values, log_probs, rewards, dones) = collect(policy, envs, obs)
        with torch.no_grad():
            last_value = policy(torch.from_numpy(obs))[1]
        advantages, returns = compute_gae(rewards, values, dones, last_value)
        batch = [part.flatten(0, 1) for part in (seen, actions, log_probs, advantages, returns)]
        ppo_update(policy, optimizer, *batch)


if __name__ == "__main__":
    main(seconds=4.0)
