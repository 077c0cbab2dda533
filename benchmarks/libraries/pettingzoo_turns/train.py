# Connect-four-like game where agents move in turn (PettingZoo's AEC API), DQN by self-play.
import os
import random
import sys
from collections import deque

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from laps import CLOCK, COUNTS
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

ROWS, COLS, LINE = 6, 7, 4


class raw_env(AECEnv):
    metadata = {"name": "drop_four_v0", "is_parallelizable": False}

    def __init__(self):
        super().__init__()
        self.possible_agents = ["red", "blue"]
        self.observation_spaces = {
            a: gym.spaces.Box(-1, 1, (2 * ROWS * COLS,), np.float32) for a in self.possible_agents
        }
        self.action_spaces = {a: gym.spaces.Discrete(COLS) for a in self.possible_agents}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        with CLOCK("env.reset"):
            self.board = [[0] * COLS for _ in range(ROWS)]
            self.agents = self.possible_agents[:]
            self.agent_selection = "red"
            self.rewards = dict.fromkeys(self.agents, 0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            self.infos = {a: {} for a in self.agents}

    def observe(self, agent):
        with CLOCK("env.observe"):
            me = 1 if agent == "red" else 2
            mine = [float(cell == me) for row in self.board for cell in row]
            theirs = [float(cell == 3 - me) for row in self.board for cell in row]
            return np.array(mine + theirs, np.float32)

    def step(self, action):
        with CLOCK("env.step"):
            if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
                self._was_dead_step(action)
                return
            COUNTS.add("env_steps")
            agent = self.agent_selection
            other = self.possible_agents[agent == "red"]
            me = 1 if agent == "red" else 2
            self._cumulative_rewards[agent] = 0
            self._clear_rewards()
            free = [row for row in range(ROWS) if self.board[row][action] == 0]
            won = illegal = False
            if free:
                self.board[free[-1]][action] = me
                won = self._four(me)
            else:
                illegal = True
            full = all(cell for cell in self.board[0])
            if won or illegal:
                self.rewards = {agent: 1 if won else -1, other: -1 if won else 0}
            if won or illegal or full:
                self.terminations = dict.fromkeys(self.agents, True)
                COUNTS.add("episodes")
            self.agent_selection = other
            self._accumulate_rewards()

    def _four(self, me):
        for y in range(ROWS):
            for x in range(COLS):
                for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    ends = y + 3 * dy, x + 3 * dx
                    if 0 <= ends[0] < ROWS and 0 <= ends[1] < COLS:
                        if all(self.board[y + k * dy][x + k * dx] == me for k in range(LINE)):
                            return True
        return False


def env():
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw_env()))


class QNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(2 * ROWS * COLS, 128),
            torch.nn.ReLU(),
            torch.nn.Linear(128, 128),
            torch.nn.ReLU(),
            torch.nn.Linear(128, COLS),
        )

    def forward(self, x):
        return self.layers(x)


class ReplayMemory:
    def __init__(self, size):
        self.rows = deque(maxlen=size)

    def push(self, *row):
        with CLOCK("replay.add"):
            self.rows.append(row)

    def sample(self, n):
        with CLOCK("replay.sample"):
            obs, acts, rews, nxts, dones = zip(*random.sample(self.rows, n))
            return (
                torch.as_tensor(np.stack(obs)),
                torch.tensor(acts),
                torch.tensor(rews, dtype=torch.float32),
                torch.as_tensor(np.stack(nxts)),
                torch.tensor(dones, dtype=torch.float32),
            )


def choose_action(net, obs, epsilon):
    with CLOCK("act"):
        if random.random() < epsilon:
            return random.randrange(COLS)
        with torch.no_grad():
            return int(net(torch.as_tensor(obs).unsqueeze(0)).argmax())


def optimize_model(net, target, optimizer, memory):
    batch = memory.sample(64)
    with CLOCK("learn.*"):
        obs, acts, rews, nxts, dones = batch
        with torch.no_grad():
            goal = rews + 0.95 * target(nxts).max(1).values * (1 - dones)
        loss = F.smooth_l1_loss(net(obs).gather(1, acts.unsqueeze(1)).squeeze(1), goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        COUNTS.add("updates")


def main():
    torch.set_num_threads(1)
    game = env()
    net, target = QNet(), QNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
    memory = ReplayMemory(20000)
    CLOCK.restart()
    games = 0
    while not CLOCK.over():
        game.reset()
        before = {}
        for agent in game.agent_iter():
            with CLOCK("env.observe"):
                obs, reward, termination, truncation, _ = game.last()
            if agent in before:
                memory.push(*before[agent], reward, obs, float(termination or truncation))
            if termination or truncation:
                with CLOCK("env.step"):
                    game.step(None)
                continue
            action = choose_action(net, obs, 0.2)
            before[agent] = (obs, action)
            with CLOCK("env.step"):
                game.step(action)
            if len(memory.rows) > 200 and len(memory.rows) % 2:
                optimize_model(net, target, optimizer, memory)
        games += 1
        if games % 20 == 0:
            target.load_state_dict(net.state_dict())
    CLOCK.write("a move is an env step; taking ended agents out of the game (step(None)) is not")


if __name__ == "__main__":
    main()
