"""Processes and threads of every kind are recorded, each once; loops of every kind are split."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

CHILDREN = """
import json, multiprocessing as mp, os, subprocess, sys, time
class Game:
    def reset(self): self.t = 0; return 0
    def step(self, action):
        self.t += 1
        sum(range(3000))
        return 0, 1.0, self.t % 10 == 0, False, {}
def play(steps):
    game = Game()
    game.reset()
    for _ in range(steps): game.step(0)
if __name__ == '__main__':
    kind = sys.argv[1]
    if kind == 'child':
        play(120)
        sys.exit()
    elif kind == 'subprocess':
        children = [subprocess.Popen([sys.executable, __file__, 'child']) for _ in range(2)]
        for child in children: child.wait()
    elif kind == 'pool':
        pool = mp.get_context('fork').Pool(2)
        pool.map(play, [120, 120])
        pool.close(); pool.join()
        children = []
    else:
        context = mp.get_context(kind)
        children = [context.Process(target=play, args=(120,)) for _ in range(2)]
        for child in children: child.start()
        for child in children: child.join()
    play(300)
    print(json.dumps({'pids': [child.pid for child in children], 'own': os.getpid()}))
"""


@pytest.mark.parametrize("kind", ["fork", "spawn", "forkserver", "subprocess", "pool"])
def test_children_of_every_kind_are_recorded(record: Callable[..., Any], kind: str) -> None:
    run = record(CHILDREN, kind)
    assert run.exit_code == 0, run.stderr
    assert run.report["throughput"]["env_steps"] == 540
    recorded = {int(file.name.split("-")[1]) for file in run.process_files()}
    assert {run.truth["own"], *run.truth["pids"]} <= recorded
    run.check_sums()


TORCH_CHILDREN = """
import json, time
import torch, torch.multiprocessing as mp
class Game:
    def reset(self): return torch.zeros(4)
    def step(self, action): return torch.zeros(4), 1.0, False, False, {}
def work(rank, model, queue):
    torch.set_num_threads(1)
    game, optimizer = Game(), torch.optim.SGD(model.parameters(), lr=0.1)
    obs = game.reset()
    for _ in range(60):
        with torch.no_grad(): model(obs)
        obs, *_ = game.step(0)
        loss = model(obs).sum()
        optimizer.zero_grad(); loss.backward(); optimizer.step()
    queue.put(60)
if __name__ == '__main__':
    model = torch.nn.Linear(4, 2).share_memory()
    queue = mp.get_context('spawn').SimpleQueue()
    mp.spawn(work, (model, queue), nprocs=2)
    print(json.dumps({'steps': queue.get() + queue.get()}))
"""


@pytest.mark.slow
def test_torch_multiprocessing(record: Callable[..., Any]) -> None:
    pytest.importorskip("torch")
    run = record(TORCH_CHILDREN)
    assert run.exit_code == 0, run.stderr
    assert run.report["throughput"]["env_steps"] == run.truth["steps"]
    run.check_sums()


VECTORS = """
import json, sys, time
import gymnasium as gym
import numpy as np
class Corridor(gym.Env):
    observation_space = gym.spaces.Box(-1.0, 1.0, (4,), np.float32)
    action_space = gym.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return np.zeros(4, np.float32), {}
    def step(self, action):
        self.at += 1
        sum(range(2000))
        return np.zeros(4, np.float32), 1.0, self.at >= 9, False, {}
def make(): return gym.wrappers.TimeLimit(Corridor(), 100)
if __name__ == '__main__':
    kind, n = sys.argv[1], 3
    if kind == 'single':
        n, env = 1, gym.wrappers.RecordEpisodeStatistics(make())
    elif kind == 'sync':
        env = gym.vector.SyncVectorEnv([make] * n)
    else:
        env = gym.vector.AsyncVectorEnv([make] * n, shared_memory=kind == 'shared', context='fork')
    env = gym.wrappers.vector.RecordEpisodeStatistics(env) if n > 1 else env
    env.reset(seed=1)
    ended = steps = waiting = 0  # an ended one of a vector is only reset by the next step
    rounds, end = 0, time.monotonic() + (2.5 if kind in ('shared', 'pipes') else 0)
    while rounds < 400 or time.monotonic() < end:
        rounds += 1
        result = env.step(env.action_space.sample())
        done = np.logical_or(result[2], result[3])
        ended += int(np.sum(done))
        steps += n - waiting
        waiting = int(np.sum(done)) if n > 1 else 0
        if n == 1 and done: env.reset()
    env.close()
    print(json.dumps({'steps': steps, 'episodes': ended}))
"""


@pytest.mark.parametrize("kind", ["single", "sync", "shared", "pipes"])
def test_gymnasium_vectors_count_once(record: Callable[..., Any], kind: str) -> None:
    """Wrappers around wrappers around environments, in one process or in several: each step counts once."""
    pytest.importorskip("gymnasium")
    run = record(VECTORS, kind)
    assert run.exit_code == 0, run.stderr
    speed = run.report["throughput"]
    assert (speed["env_steps"], speed["episodes"]) == (run.truth["steps"], run.truth["episodes"])
    assert "env.step" in run.stages()
    run.check_sums()


BATCHED = """
import json, time
import numpy as np
class Boards:
    '''256 games in one call; not Gymnasium, not even one environment.'''
    def __init__(self, n=256): self.n, self.t = n, np.zeros(n, int)
    def reset(self): self.t[:] = 0; return self.t.copy()
    def step(self, actions):
        self.t += 1
        np.sort(np.random.rand(256, 20))
        done = self.t % np.arange(5, 261) == 0
        return self.t.copy(), np.ones(self.n), done, {}
class ReplayBuffer:
    def __init__(self): self.rows = []
    def push(self, row): self.rows.append(row); self.rows = self.rows[-500:]
    def sample(self, n): return [self.rows[i % len(self.rows)] for i in range(n)]
class Agent:
    def select_action(self, obs): return np.random.rand(256, 50).argmax(1)
    def train_step(self, batch): return float(np.linalg.norm(np.random.rand(60, 60)))
    def reset(self): self.memory = 0
boards, buffer, agent, ended = Boards(), ReplayBuffer(), Agent(), 0
obs = boards.reset()
agent.reset()
for _ in range(1200):
    action = agent.select_action(obs)
    obs, reward, done, info = boards.step(action)
    buffer.push((obs, action)); batch = buffer.sample(64)
    agent.train_step(batch)
    ended += int(done.sum())
print(json.dumps({'steps': 1200 * 256, 'episodes': ended}))
"""


def test_256_boards_in_one_call_count_256(record: Callable[..., Any]) -> None:
    run = record(BATCHED)
    assert run.exit_code == 0, run.stderr
    speed = run.report["throughput"]
    assert (speed["env_steps"], speed["episodes"]) == (run.truth["steps"], run.truth["episodes"])
    assert {"env.step", "act", "replay.add", "replay.sample", "learn.loss"} <= run.stages()
    assert run.report["trust"]["attributed_share"] > 0.6  # short loop, busy machine
    run.check_sums()


STEPPING_AGENT = """
import json, time
class World:
    def reset(self): return 0
    def step(self, action): sum(range(4000)); return 0, 0.0, False, False, {}
class RnnAgent:
    '''Agents may have reset and step too.'''
    def reset(self): self.hidden = 0
    def step(self, obs): sum(range(4000)); return 1
class Clock:
    def reset(self): self.t = 0
    def step(self, dt): self.t += dt
world, agent, clock = World(), RnnAgent(), Clock()
obs = world.reset(); agent.reset(); clock.reset()
for _ in range(4000):
    obs, *_ = world.step(agent.step(obs))
    clock.step(1)
print(json.dumps({'steps': 4000}))
"""


def test_an_agent_with_reset_and_step_is_no_environment(record: Callable[..., Any]) -> None:
    run = record(STEPPING_AGENT)
    assert run.report["throughput"]["env_steps"] == run.truth["steps"]


ASYNC_POOL = """
import asyncio, json, threading, time
from concurrent.futures import ThreadPoolExecutor
class Battle:
    def reset(self): return 0
    def step(self, action): time.sleep(0.002); return 0, 0.0, False, False, {}
    async def step_async(self, action): await asyncio.sleep(0.001); return 0
def play(n):
    battle = Battle(); battle.reset()
    for _ in range(n): battle.step(0)
    return n
with ThreadPoolExecutor(4) as pool: steps = sum(pool.map(play, [200] * 16))
loop = asyncio.new_event_loop()
thread = threading.Thread(target=loop.run_forever, daemon=True); thread.start()
for _ in range(100): asyncio.run_coroutine_threadsafe(Battle().step_async(0), loop).result()
loop.call_soon_threadsafe(loop.stop); thread.join()
loop.close()
print(json.dumps({'steps': steps}))
"""


def test_threads_and_loops_count_exactly(record: Callable[..., Any]) -> None:
    run = record(ASYNC_POOL)
    assert run.exit_code == 0, run.stderr
    assert run.report["throughput"]["env_steps"] == run.truth["steps"]
    row = next(row for row in run.report["stages"] if row["stage"] == "env.step")
    assert row["wall_share"] <= 1.0
    run.check_sums()
