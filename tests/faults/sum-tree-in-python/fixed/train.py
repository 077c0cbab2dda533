"""Q-learning with prioritised replay on sixteen worlds."""

import time

import numpy as np
from worlds import N_ACTIONS, N_OBS, Worlds

ENVS = 16
CAPACITY = 4_096
BATCH = 128


class Priorities:
    """Priorities in one array; drawn by their cumulative sum."""

    def __init__(self, capacity):
        self.values = np.zeros(capacity)
        self.rng = np.random.default_rng(4)

    def set(self, slots, priorities):
        self.values[slots] = priorities

    def draw(self, count):
        sums = self.values.cumsum()
        return sums.searchsorted(self.rng.random(count) * sums[-1]).clip(0, len(sums) - 1)


class PrioritisedReplay:
    def __init__(self):
        self.obs = np.zeros((CAPACITY, N_OBS), np.float32)
        self.next_obs = np.zeros((CAPACITY, N_OBS), np.float32)
        self.actions = np.zeros(CAPACITY, np.int64)
        self.rewards = np.zeros(CAPACITY, np.float32)
        self.ends = np.zeros(CAPACITY, np.float32)
        self.priorities = Priorities(CAPACITY)
        self.added = 0

    def push_batch(self, obs, actions, rewards, next_obs, ends):
        slots = (self.added + np.arange(len(actions))) % CAPACITY
        self.obs[slots], self.next_obs[slots] = obs, next_obs
        self.actions[slots], self.rewards[slots], self.ends[slots] = actions, rewards, ends
        self.priorities.set(slots, 1.0)
        self.added += len(actions)

    def sample(self):
        slots = self.priorities.draw(BATCH)
        batch = self.obs[slots], self.actions[slots], self.rewards[slots], self.next_obs[slots]
        return slots, (*batch, self.ends[slots])

    def update_priorities(self, slots, errors):
        priorities = (np.abs(errors) + 0.01) ** 0.6
        self.priorities.set(slots, priorities)


class QAgent:
    def __init__(self, hidden=256):
        self.rng = np.random.default_rng(2)
        self.first = self.rng.normal(0.0, 0.1, (N_OBS, hidden)).astype(np.float32)
        self.second = self.rng.normal(0.0, 0.1, (hidden, N_ACTIONS)).astype(np.float32)

    def select_actions(self, obs):
        values = np.maximum(obs @ self.first, 0.0) @ self.second
        return (values + self.rng.gumbel(0.0, 0.1, values.shape)).argmax(1)

    def train_step(self, batch):
        obs, actions, rewards, next_obs, ends = batch
        rows = np.arange(len(actions))
        after = np.maximum(next_obs @ self.first, 0.0) @ self.second
        targets = rewards + 0.98 * (1.0 - ends) * after.max(axis=1)
        hidden = np.maximum(obs @ self.first, 0.0)
        values = hidden @ self.second
        away = values[rows, actions] - targets
        errors = np.zeros_like(values)
        errors[rows, actions] = np.clip(away, -1.0, 1.0) / len(rows)
        back = (errors @ self.second.T) * (hidden > 0.0)
        self.second -= 0.05 * hidden.T @ errors
        self.first -= 0.05 * obs.T @ back
        return away


def main(seconds):
    envs = Worlds(ENVS)
    obs = envs.reset()
    agent, replay = QAgent(), PrioritisedReplay()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        actions = agent.select_actions(obs)
        next_obs, rewards, dones, _ = envs.step(actions)
        replay.push_batch(obs, actions, rewards, next_obs, dones)
        obs = next_obs
        if replay.added >= 1_000:
            slots, batch = replay.sample()
            replay.update_priorities(slots, agent.train_step(batch))


if __name__ == "__main__":
    main(seconds=4.0)
