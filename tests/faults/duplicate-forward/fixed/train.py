"""Actor-critic on eight worlds, with a shared trunk."""

import time

import torch
from torch import nn
from worlds import N_ACTIONS, N_OBS, Worlds

ENVS = 8
STEPS = 32


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(N_OBS, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh())
        self.actor = nn.Linear(256, N_ACTIONS)
        self.critic = nn.Linear(256, 1)

    def select_actions(self, obs):
        hidden = self.trunk(obs)
        actions = self.actor(hidden).softmax(-1).multinomial(1).squeeze(1)
        return actions, self.critic(hidden).squeeze(-1)


def update_policy(agent, optimizer, seen, actions, returns):
    hidden = agent.trunk(seen)
    log_probs = agent.actor(hidden).log_softmax(-1)
    values = agent.critic(hidden).squeeze(-1)
    chosen = log_probs.gather(-1, actions[..., None]).squeeze(-1)
    away = returns - values
    loss = away.pow(2).mean() - (chosen * away.detach()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def compute_returns(rewards, dones, values, gamma=0.98):
    """One-step returns."""
    following = torch.cat([values[1:], values[-1:]])
    return rewards + gamma * (1.0 - dones) * following


def main(seconds):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    agent = Agent()
    optimizer = torch.optim.SGD(agent.parameters(), lr=0.01)
    envs = Worlds(ENVS)
    obs = torch.from_numpy(envs.reset())
    seen, actions = torch.zeros(STEPS, ENVS, N_OBS), torch.zeros(STEPS, ENVS, dtype=torch.int64)
    rewards, dones, values = torch.zeros(3, STEPS, ENVS)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for t in range(STEPS):
            seen[t] = obs
            with torch.no_grad():
                actions[t], values[t] = agent.select_actions(obs)
            after, reward, done, _ = envs.step(actions[t].numpy())
            obs = torch.from_numpy(after)
            rewards[t], dones[t] = torch.from_numpy(reward), torch.from_numpy(done)
        update_policy(agent, optimizer, seen, actions, compute_returns(rewards, dones, values))


if __name__ == "__main__":
    main(seconds=4.0)
