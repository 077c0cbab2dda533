"""A tile game with action masks, trained by a masked Q-learner."""

import time

import gymnasium
import numpy as np
from agent import BATCH, STEPS_PER_UPDATE, QAgent, ReplayMemory

SIZE = 9
COLOURS = 4


class Tiles(gymnasium.Env):
    """Fill a free cell next to a tile of your colour; a player who cannot move has lost."""

    def __init__(self):
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (SIZE * SIZE,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(SIZE * SIZE)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros((SIZE, SIZE), np.int64)
        self.board[0, 0], self.board[-1, -1] = 1, 2
        return self.observe(), {}

    def observe(self):
        return (self.board / COLOURS).astype(np.float32).ravel()

    def action_masks(self):  # fault
        mask = np.zeros(SIZE * SIZE, bool)
        board = self.board.tolist()
        for x in range(SIZE):
            for y in range(SIZE):
                near = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
                inside = [(i, j) for i, j in near if 0 <= i < SIZE and 0 <= j < SIZE]
                mask[x * SIZE + y] = board[x][y] == 0 and any(board[i][j] == 1 for i, j in inside)
        return mask

    def step(self, action):
        self.board[divmod(action, SIZE)] = 1
        free = np.flatnonzero(self.board.ravel() == 0)
        if len(free):
            self.board[divmod(int(self.np_random.choice(free)), SIZE)] = 2
        mask = self.action_masks()
        return self.observe(), 0.1, not mask.any(), False, {"mask": mask}


def main(seconds):
    env = Tiles()
    obs, _ = env.reset(seed=3)
    agent = QAgent(len(obs), SIZE * SIZE)
    memory = ReplayMemory(len(obs))
    steps = 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        action = agent.select_action(obs, env.action_masks())
        next_obs, reward, done, _, _ = env.step(action)
        memory.push(obs, action, reward, next_obs, float(done))
        obs = env.reset()[0] if done else next_obs
        steps += 1
        if steps % STEPS_PER_UPDATE == 0 and memory.added >= BATCH:
            agent.train_step(memory.sample())


if __name__ == "__main__":
    main(seconds=4.0)
