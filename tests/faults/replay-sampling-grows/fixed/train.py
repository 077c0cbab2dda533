"""DQN with prioritised replay on 96 hoppers that are simulated together."""

import time

import numpy as np
import torch
from torch import nn

SECONDS = 7.0
HOPPERS = 96
WIDTH = 24
BATCH = 128


class HopperEnvs:
    """Springs on a rough track: all bodies as rows of one array."""

    def __init__(self, number, seed):
        self.random = np.random.default_rng(seed)
        self.track = np.cumsum(self.random.normal(0, 0.05, 4096))
        self.state = np.zeros((number, 8))

    def reset(self):
        self.state[:] = self.random.normal(0, 0.1, self.state.shape)
        self.age = self.random.integers(0, 100, len(self.state))
        return self.observe()

    def step(self, actions):
        push = (actions - 1.5) * 0.1
        for _ in range(6):  # small steps: the springs are stiff
            bend, speed = self.state[:, :4], self.state[:, 4:]
            pull = np.roll(bend, 1, 1) - 2 * bend + np.roll(bend, -1, 1)
            speed += 0.02 * (pull - 0.1 * speed)
            speed[:, 0] += 0.02 * push
            bend += 0.02 * speed
        self.age += 1
        done = self.age >= 200
        reward = self.state[:, 4] - 0.01 * np.square(self.state).sum(1)
        self.state[done] = self.random.normal(0, 0.1, (int(done.sum()), 8))
        self.age[done] = 0
        return self.observe(), reward, done, {}

    def observe(self):
        at = (np.abs(self.state[:, 0]) * 100).astype(int) % 4000
        ahead = self.track[at[:, None] + np.arange(16)]
        return np.concatenate([self.state, ahead], 1).astype(np.float32)


class PrioritizedReplay:
    def __init__(self, capacity):
        self.obs, self.next_obs = np.zeros((2, capacity, WIDTH), np.float32)
        self.action = np.zeros(capacity, np.int64)
        self.reward, self.done = np.zeros((2, capacity), np.float32)
        self.priority = np.zeros(capacity)
        self.capacity, self.size, self.at, self.highest = capacity, 0, 0, 1.0

    def push_batch(self, obs, action, reward, next_obs, done):
        rows = (self.at + np.arange(len(obs))) % self.capacity
        self.obs[rows], self.next_obs[rows] = obs, next_obs
        self.action[rows], self.reward[rows], self.done[rows] = action, reward, done
        self.priority[rows] = self.highest
        self.at = (self.at + len(obs)) % self.capacity
        self.size = min(self.size + len(obs), self.capacity)

    def sample(self, number):
        """Draw uniformly, keep by priority: touches only the rows that it draws."""
        kept = np.zeros(0, np.int64)
        while len(kept) < number:
            drawn = np.random.randint(0, self.size, 8 * number)
            chances = (self.priority[drawn] / self.highest) ** 0.6
            kept = np.concatenate([kept, drawn[np.random.rand(8 * number) < chances]])
        rows = kept[:number]
        return rows, self.batch(rows)

    def batch(self, rows):
        parts = (self.obs, self.action, self.reward, self.next_obs, self.done)
        return [torch.from_numpy(part[rows]) for part in parts]

    def update_priorities(self, rows, errors):
        self.priority[rows] = errors + 1e-3
        self.highest = max(self.highest, float(errors.max()))


def make_network():
    return nn.Sequential(nn.Linear(WIDTH, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 4))


def learn(network, target, optimizer, replay):
    rows, (obs, action, reward, next_obs, done) = replay.sample(BATCH)
    chosen = network(obs).gather(1, action[:, None]).squeeze(1)
    with torch.no_grad():
        goal = reward + 0.99 * (1 - done) * target(next_obs).max(1).values
    error = chosen - goal
    optimizer.zero_grad()
    error.square().mean().backward()
    optimizer.step()
    replay.update_priorities(rows, error.detach().abs().numpy())


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    envs = HopperEnvs(HOPPERS, seed=0)
    network, target = make_network(), make_network()
    target.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    replay = PrioritizedReplay(400_000)
    obs = envs.reset()
    turn = 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with torch.no_grad():
            actions = network(torch.from_numpy(obs)).argmax(1).numpy()
        chance = np.random.rand(HOPPERS) < 0.1
        actions[chance] = np.random.randint(0, 4, int(chance.sum()))
        next_obs, reward, done, _ = envs.step(actions)
        replay.push_batch(obs, actions, reward, next_obs, done)
        obs = next_obs
        turn += 1
        if turn % 2 == 0:
            learn(network, target, optimizer, replay)
        if turn % 200 == 0:
            target.load_state_dict(network.state_dict())


if __name__ == "__main__":
    main()
