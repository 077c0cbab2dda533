"""Actor-critic on a card battle that a server plays."""

import asyncio
import random
import threading
import time

import numpy as np
import torch
from torch import nn

SECONDS = 6.0
TURNS = 128
ANSWER_SECONDS = 0.004
LOOP = asyncio.new_event_loop()


class Battle:
    """The server's side of a battle is a random walk; its answer takes some time."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def reset(self):
        self.life = [30.0, 30.0]
        return np.array(self.life, np.float32) / 30

    async def ask(self, action):
        await asyncio.sleep(ANSWER_SECONDS)
        self.life[1] -= self.random.random() * (1 + action)
        self.life[0] -= self.random.random() * (4 - action)
        return self.life

    def step(self, action):
        life = asyncio.run_coroutine_threadsafe(self.ask(action), LOOP).result()  # fault
        done = min(life) <= 0
        return np.array(life, np.float32) / 30, (life[0] - life[1]) / 30, done, {}


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.policy = nn.Linear(256, 4)
        self.value = nn.Linear(256, 1)

    def forward(self, obs):
        hidden = self.body(obs)
        return self.policy(hidden), self.value(hidden).squeeze(-1)


def update(agent, optimizer, seen, actions, rewards):
    """A few passes over one rollout."""
    obs, taken, goal = torch.from_numpy(seen), torch.from_numpy(actions), torch.from_numpy(rewards)
    for _ in range(20):
        logits, value = agent(obs)
        logs = torch.log_softmax(logits, -1).gather(1, taken[:, None]).squeeze(1)
        loss = -(logs * (goal - value.detach())).mean() + 0.5 * (goal - value).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    threading.Thread(target=LOOP.run_forever, daemon=True).start()
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)
    battle = Battle(0)
    obs = battle.reset()
    seen = np.zeros((TURNS, 2), np.float32)
    actions = np.zeros(TURNS, np.int64)
    rewards = np.zeros(TURNS, np.float32)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for t in range(TURNS):
            with torch.no_grad():
                logits, _ = agent(torch.from_numpy(obs))
            noise = -np.log(-np.log(np.random.rand(4)))
            seen[t], actions[t] = obs, (logits.numpy() + noise).argmax()
            obs, rewards[t], done, _ = battle.step(int(actions[t]))
            if done:
                obs = battle.reset()
        update(agent, optimizer, seen, actions, rewards)


if __name__ == "__main__":
    main()
