"""`whatif --envs` on real vector environments: for the layout that was recorded it predicts no change."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("gymnasium")

pytestmark = pytest.mark.alone

Command = Callable[..., subprocess.CompletedProcess[str]]

GAME = """
import time

import gymnasium as gym
import numpy as np
import torch

torch.set_num_threads(1)


class Game(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (8,), np.float32)
    action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        return np.zeros(8, np.float32), {}

    def step(self, action):
        self.t += 1
        x = sum(i * i % 7 for i in range(2000))
        return np.full(8, x % 3 / 3, np.float32), 1.0, self.t >= 50, False, {}

    def action_masks(self):
        return np.ones(4, bool)


def train(step, envs, seconds=4.0):
    net = torch.nn.Linear(8, 4)
    optimizer = torch.optim.SGD(net.parameters(), 1e-3)
    obs = np.zeros((envs, 8), np.float32)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(64):
            with torch.no_grad():
                actions = net(torch.as_tensor(obs)).argmax(1).numpy()
            obs = step(actions)
        for _ in range(4):
            optimizer.zero_grad()
            net(torch.as_tensor(obs)).square().mean().backward()
            optimizer.step()


def stepped(game, action):
    obs, _, ended, _, _ = game.step(action)
    return game.reset()[0] if ended else obs
"""

PIPES = (
    GAME
    + """
import multiprocessing


def work(pipe):
    games = [Game(), Game()]
    for game in games:
        game.reset()
    while True:
        command, actions = pipe.recv()
        if command == "mask":
            pipe.send([game.action_masks() for game in games])
        elif command == "step":
            pipe.send([stepped(game, action) for game, action in zip(games, actions)])
        else:
            return


if __name__ == "__main__":
    pairs = [multiprocessing.Pipe() for _ in range(2)]
    for _, far in pairs:
        multiprocessing.Process(target=work, args=(far,), daemon=True).start()
    near = [pipe for pipe, _ in pairs]

    def step(actions):
        for pipe in near:
            pipe.send(("mask", None))
        masks = [pipe.recv() for pipe in near]
        for i, pipe in enumerate(near):
            pipe.send(("step", actions[2 * i : 2 * i + 2]))
        return np.stack([obs for pipe in near for obs in pipe.recv()])

    train(step, 4)
    for pipe in near:
        pipe.send(("close", None))
"""
)

GYMNASIUM = (
    GAME
    + """
if __name__ == "__main__":
    envs = gym.vector.AsyncVectorEnv([Game] * 3)
    envs.reset()
    train(lambda actions: envs.step(actions)[0], 3)
    envs.close()
"""
)

POOL = (
    GAME
    + """
from concurrent.futures import ThreadPoolExecutor

games = [Game() for _ in range(4)]
for game in games:
    game.reset()
with ThreadPoolExecutor(4) as pool:
    train(lambda actions: np.stack(list(pool.map(stepped, games, actions))), 4)
"""
)

MASKABLE = (
    GAME
    + """
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import SubprocVecEnv

if __name__ == "__main__":
    envs = SubprocVecEnv([Game] * 2, start_method="fork")
    MaskablePPO("MlpPolicy", envs, n_steps=256, batch_size=256, n_epochs=2).learn(3000)
    envs.close()
"""
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "envs"),
    [(PIPES, 4), (GYMNASIUM, 3), (POOL, 4), (MASKABLE, 2)],
    ids=["pipes", "gymnasium", "threads", "maskable"],
)
def test_the_recorded_layout_predicts_itself(
    record: Callable[..., Any], goldsplit: Command, source: str, envs: int
) -> None:
    if "sb3_contrib" in source:
        pytest.importorskip("sb3_contrib")
    done = record(source)
    assert done.exit_code == 0, done.stderr
    asked = ("whatif", str(done.run_dir), "--envs", str(envs), "--json")
    shown = goldsplit(*asked, cwd=done.directory)
    assert shown.returncode == 0, shown.stderr
    answer = json.loads(shown.stdout)
    assert answer["recorded"]["envs"] == envs
    assert answer["prediction"]["speedup"] == pytest.approx(1.0, abs=0.03)
