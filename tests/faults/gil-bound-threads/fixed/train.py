"""Actor-critic on eight card battles that are played side by side."""

import random
import time

import numpy as np
import torch
from torch import nn

SECONDS = 4.0
BATTLES = 8
TURNS = 16
CARDS = 40


class Battle:
    """Two decks; each turn one card is played, then every card on the table strikes."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def reset(self):
        self.life = [30.0, 30.0]
        self.tables = [[], []]
        self.turn = 0
        return self.observe()

    def step(self, action):
        self.turn += 1
        for _ in range(3):  # a hand of three cards
            self.play(0, action)
            self.play(1, self.random.randrange(4))
        for side in (0, 1):
            self.strike(side)
        done = min(self.life) <= 0 or self.turn >= 60
        return self.observe(), (self.life[0] - self.life[1]) / 30, done, {}

    def play(self, side, kind):
        table = self.tables[side]
        table.append([0.1 + 0.02 * kind, 8.0 - kind, kind])
        if len(table) > CARDS:
            table.pop(0)

    def strike(self, side):
        foes = self.tables[1 - side]
        for strength, _, kind in self.tables[side]:
            weakest = None
            for foe in foes:
                if foe[2] != kind and (weakest is None or foe[1] < weakest[1]):
                    weakest = foe
            if weakest is None:
                self.life[1 - side] -= strength
                continue
            weakest[1] -= strength
            if weakest[1] <= 0:
                foes.remove(weakest)

    def observe(self):
        out = np.zeros(14, np.float32)
        for side in (0, 1):
            out[7 * side] = self.life[side] / 30
            for strength, life, kind in self.tables[side]:
                out[7 * side + 1 + kind] += 0.1
                out[7 * side + 5] += strength / 100
                out[7 * side + 6] += life / 100
        return out


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(14, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.policy = nn.Linear(128, 4)
        self.value = nn.Linear(128, 1)

    def forward(self, obs):
        hidden = self.body(obs)
        return self.policy(hidden), self.value(hidden).squeeze(-1)


def play_on(battle, action):
    obs, reward, done, _ = battle.step(action)
    return battle.reset() if done else obs, reward, done


def update(agent, optimizer, seen, actions, rewards, dones, last):
    """A few passes over one rollout."""
    returns, after = np.zeros_like(rewards), last
    for t in reversed(range(TURNS)):
        after = rewards[t] + 0.99 * after * (1 - dones[t])
        returns[t] = after
    obs = torch.from_numpy(seen.reshape(-1, 14))
    taken = torch.from_numpy(actions.reshape(-1))
    goal = torch.from_numpy(returns.reshape(-1))
    for _ in range(12):
        logits, value = agent(obs)
        logs = torch.log_softmax(logits, -1).gather(1, taken[:, None]).squeeze(1)
        loss = -(logs * (goal - value.detach())).mean() + 0.5 * (goal - value).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)
    battles = [Battle(i) for i in range(BATTLES)]
    obs = np.stack([battle.reset() for battle in battles])
    seen = np.zeros((TURNS, BATTLES, 14), np.float32)
    actions = np.zeros((TURNS, BATTLES), np.int64)
    rewards, dones = np.zeros((2, TURNS, BATTLES), np.float32)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for t in range(TURNS):
            with torch.no_grad():
                logits, value = agent(torch.from_numpy(obs))
            noise = -np.log(-np.log(np.random.rand(BATTLES, 4)))
            seen[t], actions[t] = obs, (logits.numpy() + noise).argmax(1)
            results = list(map(play_on, battles, actions[t].tolist()))
            obs = np.stack([result[0] for result in results])
            rewards[t] = [result[1] for result in results]
            dones[t] = [result[2] for result in results]
        update(agent, optimizer, seen, actions, rewards, dones, value.numpy())


if __name__ == "__main__":
    main()
