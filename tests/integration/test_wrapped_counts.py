"""Who is the environment where a `step` calls another one? Programs that count their moves themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")

CORRIDOR = """
import gymnasium as gym
import numpy as np

MOVES, ENDED = [0], [0]

class Corridor(gym.Env):
    observation_space = gym.spaces.Box(0, 1, (3,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.t = 0
        return self.seen(), {}

    def seen(self):
        return np.array([self.x / 9, self.t / 50, 1], np.float32)

    def step(self, a):
        MOVES[0] += 1
        self.x = max(0, self.x + (1 if a else -1))
        self.t += 1
        ENDED[0] += self.x >= 9 or self.t >= 30
        return self.seen(), float(self.x >= 9), self.x >= 9, self.t >= 30, {}
"""
POLICY = """
def policy(seen, w):
    return (seen @ w + np.random.randn(len(seen)) > 0).astype(int)
"""
LOOP = """
def main():
    world = World(8)
    seen, w = world.reset(), np.zeros(3)
    for _ in range(600):
        seen, gain, done = world.step(policy(seen, w))
        w += 1e-4 * (gain @ seen)
    print(MOVES[0], ENDED[0])

main()
"""
PROGRAMS = {
    "a world around a vector environment that begins games with the next step": CORRIDOR
    + POLICY
    + """
class World:
    def __init__(self, n):
        self.envs = gym.vector.SyncVectorEnv([Corridor for _ in range(n)])

    def reset(self):
        return self.envs.reset(seed=1)[0]

    def step(self, moves):
        seen, gain, over, cut, _ = self.envs.step(moves)
        return seen, gain, np.logical_or(over, cut)
"""
    + LOOP,
    "a runner that chooses itself": CORRIDOR
    + POLICY
    + """
class Runner:
    def __init__(self, n):
        self.envs, self.w = gym.vector.SyncVectorEnv([Corridor for _ in range(n)]), np.zeros(3)

    def reset(self):
        self.seen, _ = self.envs.reset(seed=1)

    def step(self, horizon):
        rows = []
        for _ in range(horizon):
            moves = policy(self.seen, self.w)
            seen, gain, over, cut, _ = self.envs.step(moves)
            rows.append((self.seen, moves, gain, over | cut))
            self.seen = seen
        return rows

def main():
    runner = Runner(8)
    runner.reset()
    for _ in range(40):
        for seen, _, gain, _ in runner.step(16):
            runner.w += 1e-4 * (gain @ seen)
    print(MOVES[0], ENDED[0])

main()
""",
    "a hub in which games that are over wait for the others": CORRIDOR.replace(
        "return self.seen(), float(self.x >= 9), self.x >= 9, self.t >= 30, {}",
        "return self.seen(), float(self.x >= 9), self.x >= 9 or self.t >= 30",
    )
    .replace("gym.Env", "object")
    .replace("super().reset(seed=seed)", "pass")
    .replace("def step", "def go")
    + POLICY
    + """
class Hub:
    def __init__(self, n):
        self.games, self.over = [Corridor() for _ in range(n)], np.ones(n, bool)

    def reset(self):
        for game in self.games:
            game.reset()
        self.over[:] = False
        return np.stack([game.seen() for game in self.games])

    def step(self, moves):
        seen, gain = [], []
        for place, (game, move) in enumerate(zip(self.games, moves)):
            if self.over[place]:
                seen.append(game.seen())
                gain.append(0.0)
                continue
            s, g, o = game.go(move)
            seen.append(s)
            gain.append(g)
            self.over[place] = o
        return np.stack(seen), np.array(gain), self.over.copy(), {}

def main():
    hub, w = Hub(8), np.zeros(3)
    for _ in range(40):
        seen, done = hub.reset(), np.zeros(8, bool)
        while not done.all():
            seen, gain, done, _ = hub.step(policy(seen, w))
            w += 1e-4 * (gain @ seen)
    print(MOVES[0], ENDED[0])

main()
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_games_own_steps_are_counted(tmp_path: Path, kind: str) -> None:
    (tmp_path / "train.py").write_text(PROGRAMS[kind])
    goldsplit = [sys.executable, "-m", "goldsplit"]
    recording = [*goldsplit, "record", "--quiet", "--", sys.executable, "train.py"]
    done = subprocess.run(recording, cwd=tmp_path, capture_output=True, text=True, check=True)
    shown = subprocess.run([*goldsplit, "show", "--json"], cwd=tmp_path, capture_output=True, check=True)
    counted = json.loads(shown.stdout)["throughput"]
    moves, ended = map(int, done.stdout.split())
    assert (counted["env_steps"], counted["episodes"]) == (moves, ended)
