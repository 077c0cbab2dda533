"""Actor-critic on eight worlds, with torch's distributions."""

import time

import torch
from torch import nn
from torch.distributions import Categorical
from worlds import N_ACTIONS, N_OBS, Worlds

ENVS = 8
STEPS = 32


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(N_OBS, 128), nn.Tanh())
        self.actor = nn.Linear(128, N_ACTIONS)
        self.critic = nn.Linear(128, 1)

    def act(self, obs):
        hidden = self.trunk(obs)
        choice = Categorical(logits=self.actor(hidden))  # fault
        actions = choice.sample()
        return actions, choice.log_prob(actions), self.critic(hidden).squeeze(-1)


def update_policy(agent, optimizer, seen, actions, returns):
    hidden = agent.trunk(seen)
    log_probs = agent.actor(hidden).log_softmax(-1)
    chosen = log_probs.gather(-1, actions[..., None]).squeeze(-1)
    away = returns - agent.critic(hidden).squeeze(-1)
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
    rewards, dones, values, log_probs = torch.zeros(4, STEPS, ENVS)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for t in range(STEPS):
            seen[t] = obs
            with torch.no_grad():
                actions[t], log_probs[t], values[t] = agent.act(obs)
            after, reward, done, _ = envs.step(actions[t].numpy())
            obs = torch.from_numpy(after)
            rewards[t], dones[t] = torch.from_numpy(reward), torch.from_numpy(done)
        update_policy(agent, optimizer, seen, actions, compute_returns(rewards, dones, values))


if __name__ == "__main__":
    main(seconds=4.0)
