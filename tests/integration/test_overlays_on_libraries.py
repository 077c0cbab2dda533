"""Overlays on trainings with Gymnasium and Stable-Baselines3 as people write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.experiment.equivalence import compare_trajectories
from goldsplit.store.trajectory_file import read_trajectory

pytestmark = pytest.mark.slow

WALK = """
import json, random
import gymnasium
import numpy as np

class Walk(gymnasium.Env):
    '''A random walk that tells much about itself.'''
    observation_space = gymnasium.spaces.Box(-20, 20, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    steps = 0
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.turn = 0.0, 0
        return self.look(), {}
    def look(self):
        return np.array([self.at, self.turn, 1.0], np.float32)
    def step(self, action):
        Walk.steps += 1
        self.turn += 1
        self.at += (1.0 if action else -1.0) + 0.1 * np.random.random()
        info = {"board": [[0] * 8] * 8, "turn": self.turn}
        return self.look(), float(self.at), self.turn >= 20, False, info
"""
LOOP = (
    WALK
    + """
def choose(observation):
    return random.randrange(2)

env = Walk()
observation, _ = env.reset()
kept, total, taken = 0, 0.0, []
for _ in range(200):
    action = choose(observation)
    observation, reward, done, _, info = env.step(action)
    taken.append(action)
    kept += len(info)
    total += reward
    if done:
        observation, _ = env.reset()
print(json.dumps({"total": total, "info": kept, "steps": Walk.steps, "taken": taken}))
"""
)
PPO = (
    WALK
    + """
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv
import multiprocessing, sys

if __name__ == "__main__":
    torch.set_num_threads(1)
    kind = SubprocVecEnv if len(sys.argv) > 1 else None
    env = make_vec_env(Walk, n_envs=2, seed=3, vec_env_cls=kind)
    model = PPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=2, seed=3, device="cpu")
    model.learn(128)
    weights = float(sum(p.detach().abs().sum() for p in model.policy.parameters()))
    method = env.processes[0].__class__.__name__ if kind else ""
    print(json.dumps({"weights": weights, "steps": Walk.steps, "workers": method}))
    env.close()
"""
)
DQN = (
    WALK
    + """
import torch
from stable_baselines3 import DQN
torch.set_num_threads(1)
model = DQN("MlpPolicy", Walk(), learning_starts=40, train_freq=4, batch_size=16, buffer_size=1000, seed=3)
before = [p.detach().clone() for p in model.q_net.parameters()]
model.learn(160)
moved = sum(float((p.detach() - q).abs().sum()) for p, q in zip(model.q_net.parameters(), before))
print(json.dumps({"steps": Walk.steps, "buffer": type(model.replay_buffer).__name__, "moved": moved}))
"""
)

Record = Callable[..., Any]


def run_with(record: Record, source: str, *overlays: str, arguments: tuple[str, ...] = ()) -> Any:
    options = ("--no-stacks", "--trajectory", *(part for text in overlays for part in ("--with", text)))
    run = record(source, *arguments, options=options)
    assert run.exit_code == 0, run.stderr
    for use in run.report["run"]["overlays"]:
        assert use["changed"], f"{use['overlay']} changed nothing: {run.stderr}"
    assert [use["overlay"] for use in run.report["run"]["overlays"]] == list(overlays)
    return run


def test_seed_makes_two_runs_play_the_same(record: Record) -> None:
    one, two = (run_with(record, LOOP, "seed:5") for _ in range(2))
    other = run_with(record, LOOP, "seed:6")
    assert one.truth == two.truth
    assert one.truth["taken"] != other.truth["taken"]
    played = [read_trajectory(run.run_dir) for run in (one, two, other)]
    first, second, third = played
    assert first is not None
    assert second is not None
    assert third is not None
    assert compare_trajectories(first, second).answer == "yes"
    assert compare_trajectories(first, third).answer == "no"


def test_lean_info(record: Record) -> None:
    run = run_with(record, LOOP, "seed:5", "lean-info")
    assert run.truth["info"] < 400
    assert run.truth["steps"] == 200


def test_random_actions(record: Record) -> None:
    one = run_with(record, LOOP, "random-actions")
    assert one.truth["steps"] == 200
    assert set(one.truth["taken"]) == {0, 1}


def test_random_actions_in_ppo(record: Record) -> None:
    run = run_with(record, PPO.replace("learn(128)", "learn(256)"), "random-actions")
    assert run.report["run"]["overlays"][0]["changed"] == {"actions drawn from earlier ones": 28}
    assert run.truth["steps"] == 256


def test_replayed_env(record: Record) -> None:
    run = run_with(record, LOOP, "replayed-env:50")
    assert run.truth["steps"] == 50, "the game itself was not asked any more"
    assert len(run.truth["taken"]) == 200


def test_skipped_optimizer_steps(record: Record) -> None:
    run = run_with(record, DQN, "skip:learn.optimizer")
    assert run.truth["moved"] == 0
    assert run.truth["steps"] == 160


def test_fast_returns_in_ppo(record: Record) -> None:
    plain = run_with(record, PPO)
    fast = run_with(record, PPO, "fast:gae")
    assert fast.truth["weights"] == pytest.approx(plain.truth["weights"], rel=1e-3)


def test_fast_replay_in_dqn(record: Record) -> None:
    run = run_with(record, DQN, "fast:replay")
    assert run.truth["buffer"] != "ReplayBuffer"
    assert run.truth["moved"] > 0
    assert run.truth["steps"] == 160


def test_start_method_and_fast_vector_with_worker_processes(record: Record) -> None:
    run = run_with(record, PPO, "start:fork", arguments=("workers",))
    assert run.truth["workers"] == "ForkProcess"
    assert run.truth["steps"] == 0, "the games are in the workers"
    run_with(
        record,
        PPO.replace("env.processes[0].__class__.__name__", "''"),
        "fast:vector",
        arguments=("workers",),
    )
