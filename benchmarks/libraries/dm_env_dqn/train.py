# DQN on a dm_env environment (catch with obstacles), in the way of DeepMind's small agents: the environment
# loop steps on after the last time step, which only begins the next episode.
import os
import random
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import dm_env
import numpy as np
import torch
from dm_env import specs
from laps import CLOCK, COUNTS

ROWS, COLS = 12, 9


class Catch(dm_env.Environment):
    def __init__(self, seed=0):
        self._rng = random.Random(seed)
        self._reset_next_step = True

    def reset(self):
        with CLOCK("env.reset"):
            self._reset_next_step = False
            self._balls = [[0, self._rng.randrange(COLS), self._rng.choice((-1, 0, 1))] for _ in range(6)]
            for ball in self._balls:
                ball[0] = -self._rng.randrange(8)
            self._paddle = COLS // 2
            return dm_env.restart(self._observation())

    def step(self, action):
        with CLOCK("env.step"):
            if self._reset_next_step:
                return self.reset()
            COUNTS.add("env_steps")
            self._paddle = min(COLS - 1, max(0, self._paddle + int(action) - 1))
            reward = 0.0
            for ball in self._balls:
                ball[0] += 1
                ball[1] += ball[2]
                if not 0 <= ball[1] < COLS:
                    ball[1] = min(COLS - 1, max(0, ball[1]))
                    ball[2] = -ball[2]
                for other in self._balls:
                    if other is not ball and other[:2] == ball[:2]:
                        ball[2], other[2] = other[2], ball[2]
                if ball[0] == ROWS - 1:
                    reward += 1.0 if abs(ball[1] - self._paddle) <= 1 else -1.0
            self._balls = [ball for ball in self._balls if ball[0] < ROWS - 1]
            observation = self._observation()
            if self._balls:
                return dm_env.transition(reward=reward, observation=observation)
            self._reset_next_step = True
            COUNTS.add("episodes")
            return dm_env.termination(reward=reward, observation=observation)

    def _observation(self):
        with CLOCK("env.observe"):
            board = np.zeros((ROWS, COLS), np.float32)
            for row, col, speed in self._balls:
                for trail in range(3):
                    if row - trail >= 0:
                        board[row - trail, min(COLS - 1, max(0, col - trail * speed))] += 1 / (1 + trail)
            board[ROWS - 1, self._paddle] = -1
            return board

    def observation_spec(self):
        return specs.Array((ROWS, COLS), np.float32, "board")

    def action_spec(self):
        return specs.DiscreteArray(3, name="action")


class Replay:
    def __init__(self, capacity):
        self._data, self._capacity, self._added = [], capacity, 0

    def add(self, row):
        with CLOCK("replay.add"):
            if len(self._data) < self._capacity:
                self._data.append(row)
            else:
                self._data[self._added % self._capacity] = row
            self._added += 1

    def sample(self, size):
        with CLOCK("replay.sample"):
            rows = random.choices(self._data, k=size)
            return [torch.as_tensor(np.stack(column)) for column in zip(*rows)]


class DQNAgent:
    def __init__(self):
        def net():
            return torch.nn.Sequential(
                torch.nn.Flatten(),
                torch.nn.Linear(ROWS * COLS, 100),
                torch.nn.ReLU(),
                torch.nn.Linear(100, 100),
                torch.nn.ReLU(),
                torch.nn.Linear(100, 3),
            )

        self._online, self._target = net(), net()
        self._optimizer = torch.optim.Adam(self._online.parameters(), lr=1e-3)
        self._replay = Replay(10000)
        self._steps = 0

    def select_action(self, timestep):
        with CLOCK("act"):
            if random.random() < 0.1:
                return random.randrange(3)
            with torch.no_grad():
                return int(self._online(torch.as_tensor(timestep.observation)[None]).argmax())

    def update(self, timestep, action, new_timestep):
        self._replay.add(
            (
                timestep.observation,
                np.int64(action),
                np.float32(new_timestep.reward),
                np.float32(new_timestep.discount),
                new_timestep.observation,
            )
        )
        self._steps += 1
        if self._steps > 100 and self._steps % 2 == 0:
            batch = self._replay.sample(48)
            with CLOCK("learn.*"):
                self._learn(*batch)

    def _learn(self, o_tm1, a_tm1, r_t, d_t, o_t):
        with torch.no_grad():
            target = r_t + d_t * 0.97 * self._target(o_t).max(1).values
        q = self._online(o_tm1).gather(1, a_tm1[:, None])[:, 0]
        loss = (q - target).pow(2).mean()
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        COUNTS.add("updates")
        if self._steps % 200 == 0:
            self._target.load_state_dict(self._online.state_dict())


def run(agent, env):
    timestep = env.reset()
    while not CLOCK.over():
        action = agent.select_action(timestep)
        new_timestep = env.step(action)
        if not new_timestep.first():
            agent.update(timestep, action, new_timestep)
        timestep = new_timestep


if __name__ == "__main__":
    torch.set_num_threads(1)
    agent, env = DQNAgent(), Catch()
    CLOCK.restart()
    run(agent, env)
    CLOCK.write("a step after the last time step only resets: it is no env step")
