"""Stands in for a fault project's `agent.py`: the same learner, and its game in a worker process.

The worker plays many boards side by side, as many as make one step of all of them about 20 ms long.
"""

import copy
import multiprocessing
import time

import numpy as np
from agent_alone import BATCH, QAgent, ReplayMemory

STEP_SECONDS = 0.02
MOST_BOARDS = 400
#: Boards whose moves are learned from.
KEPT = 16


class BatchAgent(QAgent):
    """The same learner, which acts on many boards at once."""

    def select_actions(self, seen):
        greedy = (np.maximum(seen @ self.first, 0.0) @ self.second).argmax(1)
        explores = self.rng.random(len(seen)) < 0.2
        return np.where(explores, self.rng.integers(self.n_actions, size=len(seen)), greedy)


class Boards:
    """Many games, stepped together."""

    def __init__(self, games):
        self.games = games

    def reset(self):
        return np.stack([game.reset() for game in self.games])

    def step(self, actions):
        seen, rewards, ends = [], np.zeros(len(self.games), np.float32), np.zeros(len(self.games), bool)
        for number, (game, action) in enumerate(zip(self.games, actions, strict=True)):
            obs, rewards[number], ends[number], _ = game.step(int(action))
            seen.append(game.reset() if ends[number] else obs)
        return np.stack(seen), rewards, ends, {}


def how_many(game):
    """How many boards make a step of 20 ms."""
    game.reset()
    begun, steps = time.process_time(), 0
    while time.process_time() - begun < 0.03:
        if game.step(steps % game.n_actions)[2]:
            game.reset()
        steps += 1
    return max(1, min(MOST_BOARDS, round(STEP_SECONDS * steps / (time.process_time() - begun))))


def serve(pipe, game):
    games = [copy.deepcopy(game) for _ in range(how_many(copy.deepcopy(game)))]
    for number, one in enumerate(games):
        if hasattr(one, "random"):
            one.random.seed(number)
    boards = Boards(games)
    pipe.send(boards.reset())
    while True:
        actions = pipe.recv()
        if actions is None:
            return
        pipe.send(boards.step(actions))


def learn(env, seconds):
    """Train for some seconds."""
    pipe, theirs = multiprocessing.Pipe()
    worker = multiprocessing.get_context("fork").Process(target=serve, args=(theirs, env))
    worker.start()
    obs = pipe.recv()
    agent, memory = BatchAgent(obs.shape[1], env.n_actions), ReplayMemory(obs.shape[1])
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        actions = agent.select_actions(obs)
        pipe.send(actions)
        following, rewards, ends, _ = pipe.recv()
        for row in list(zip(obs, actions, rewards, following, ends, strict=True))[:KEPT]:
            memory.push(*row)
        obs = following
        if memory.added >= BATCH:
            agent.train_step(memory.sample())
    pipe.send(None)
    worker.join()
