"""A small Q-learner in NumPy, and the loop that trains it."""

import time

import numpy as np

CAPACITY = 1_000
BATCH = 128
STEPS_PER_UPDATE = 1


class ReplayMemory:
    def __init__(self, n_obs):
        self.obs = np.zeros((CAPACITY, n_obs), np.float32)
        self.next_obs = np.zeros((CAPACITY, n_obs), np.float32)
        self.actions = np.zeros(CAPACITY, np.int64)
        self.rewards = np.zeros(CAPACITY, np.float32)
        self.ends = np.zeros(CAPACITY, np.float32)
        self.added = 0
        self.rng = np.random.default_rng(1)

    def push(self, obs, action, reward, next_obs, end):
        slot = self.added % CAPACITY
        self.obs[slot] = obs
        self.next_obs[slot] = next_obs
        self.actions[slot] = action
        self.rewards[slot] = reward
        self.ends[slot] = end
        self.added += 1

    def sample(self):
        rows = self.rng.integers(0, min(self.added, CAPACITY), BATCH)
        return self.obs[rows], self.actions[rows], self.rewards[rows], self.next_obs[rows], self.ends[rows]


class QAgent:
    def __init__(self, n_obs, n_actions, hidden=64):
        self.rng = np.random.default_rng(2)
        self.n_actions = n_actions
        self.first = self.rng.normal(0.0, 0.1, (n_obs, hidden)).astype(np.float32)
        self.second = self.rng.normal(0.0, 0.1, (hidden, n_actions)).astype(np.float32)

    def select_action(self, obs):
        if self.rng.random() < 0.2:
            return int(self.rng.integers(self.n_actions))
        return int((np.maximum(obs @ self.first, 0.0) @ self.second).argmax())

    def train_step(self, batch):
        obs, actions, rewards, next_obs, ends = batch
        rows = np.arange(len(actions))
        after = np.maximum(next_obs @ self.first, 0.0) @ self.second
        targets = rewards + 0.98 * (1.0 - ends) * after.max(axis=1)
        hidden = np.maximum(obs @ self.first, 0.0)
        values = hidden @ self.second
        errors = np.zeros_like(values)
        errors[rows, actions] = np.clip(values[rows, actions] - targets, -1.0, 1.0) / len(rows)
        back = (errors @ self.second.T) * (hidden > 0.0)
        self.second -= 0.05 * hidden.T @ errors
        self.first -= 0.05 * obs.T @ back


def learn(env, seconds):
    """Train for some seconds."""
    obs = env.reset()
    agent = QAgent(len(obs), env.n_actions)
    memory = ReplayMemory(len(obs))
    steps = 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        action = agent.select_action(obs)
        next_obs, reward, done, _ = env.step(action)
        memory.push(obs, action, reward, next_obs, float(done))
        obs = env.reset() if done else next_obs
        steps += 1
        if steps % STEPS_PER_UPDATE == 0 and memory.added >= BATCH:
            agent.train_step(memory.sample())
