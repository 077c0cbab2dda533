"""A small Q-learner walks to a goal on a grid, and is evaluated on the way."""

import time

import numpy as np

SECONDS = 4.0
SIZE = 16
MOVES = np.array([(0, 1), (1, 0), (0, -1), (-1, 0)])
CAPACITY = 1_000
BATCH = 128
STEPS_PER_UPDATE = 4
STEPS_PER_EVALUATION = 20_000
EVALUATED_GAMES = 64


class GridEnv:
    """Walk to the goal."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def reset(self):
        self.place, self.goal = self.rng.integers(0, SIZE, (2, 2))
        self.age = 0
        return self.observe()

    def step(self, action):
        self.age += 1
        self.place = (self.place + MOVES[action]).clip(0, SIZE - 1)
        done = bool((self.place == self.goal).all())
        return self.observe(), float(done), done or self.age >= 100, {}

    def observe(self):
        return np.concatenate((self.place, self.goal)) / SIZE


class ReplayMemory:
    def __init__(self, n_obs):
        self.obs = np.zeros((CAPACITY, n_obs))
        self.next_obs = np.zeros((CAPACITY, n_obs))
        self.actions = np.zeros(CAPACITY, np.int64)
        self.rewards = np.zeros(CAPACITY)
        self.ends = np.zeros(CAPACITY)
        self.added = 0
        self.rng = np.random.default_rng(1)

    def push(self, obs, action, reward, next_obs, end):
        slot = self.added % CAPACITY
        self.obs[slot], self.next_obs[slot] = obs, next_obs
        self.actions[slot], self.rewards[slot], self.ends[slot] = action, reward, end
        self.added += 1

    def sample(self):
        rows = self.rng.integers(0, min(self.added, CAPACITY), BATCH)
        return self.obs[rows], self.actions[rows], self.rewards[rows], self.next_obs[rows], self.ends[rows]


class QAgent:
    def __init__(self, n_obs, n_actions, hidden=64):
        self.rng = np.random.default_rng(2)
        self.first = self.rng.normal(0.0, 0.1, (n_obs, hidden))
        self.second = self.rng.normal(0.0, 0.1, (hidden, n_actions))

    def select_action(self, obs):
        if self.rng.random() < 0.2:
            return int(self.rng.integers(len(MOVES)))
        return int((np.maximum(obs @ self.first, 0.0) @ self.second).argmax())

    def train_step(self, batch):
        obs, actions, rewards, next_obs, ends = batch
        rows = np.arange(len(actions))
        after = np.maximum(next_obs @ self.first, 0.0) @ self.second
        targets = rewards + 0.98 * (1.0 - ends) * after.max(axis=1)
        hidden = np.maximum(obs @ self.first, 0.0)
        values = hidden @ self.second
        errors = np.zeros_like(values)
        errors[rows, actions] = (values[rows, actions] - targets) / len(rows)
        back = (errors @ self.second.T) * (hidden > 0.0)
        self.second -= 0.05 * hidden.T @ errors
        self.first -= 0.05 * obs.T @ back


def evaluate(agent):
    """The share of games that find their goal in time; all of them are played at once."""
    places, goals = np.random.default_rng(3).integers(0, SIZE, (2, EVALUATED_GAMES, 2))
    found = np.zeros(EVALUATED_GAMES, bool)
    for _ in range(100):
        obs = np.concatenate((places, goals), axis=1) / SIZE
        moves = (np.maximum(obs @ agent.first, 0.0) @ agent.second).argmax(axis=1)
        places = (places + MOVES[moves]).clip(0, SIZE - 1)
        found |= (places == goals).all(axis=1)
    return float(found.mean())


def main():
    env = GridEnv()
    obs = env.reset()
    agent, memory = QAgent(len(obs), len(MOVES)), ReplayMemory(len(obs))
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        action = agent.select_action(obs)
        next_obs, reward, done, _ = env.step(action)
        memory.push(obs, action, reward, next_obs, float(done))
        obs = env.reset() if done else next_obs
        if memory.added >= BATCH and memory.added % STEPS_PER_UPDATE == 0:
            agent.train_step(memory.sample())
        if memory.added % STEPS_PER_EVALUATION == 0:
            evaluate(agent)


if __name__ == "__main__":
    main()
