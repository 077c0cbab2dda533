"""Where the figures of a gate come from, end to end: one program, every source, one trial."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from goldsplit.experiment.plan_sources import gate_text
from goldsplit.experiment.trials import Experiment
from goldsplit.model.experiment.design import Plan, Variant
from goldsplit.model.experiment.trial import Trial

GAME = """
import sys
import gymnasium
import numpy as np

class Walk(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn = 0
        return np.zeros(2, np.float32), {}
    def step(self, action):
        self.turn += 1
        return np.zeros(2, np.float32), 0.5, self.turn >= 10, False, {"is_success": self.turn >= 10}

out = sys.argv[1]
"""
PLAIN = (
    GAME
    + """
import goldsplit
env = gymnasium.wrappers.RecordEpisodeStatistics(Walk())
env.reset()
for step in range(400):
    *_, done, _, info = env.step(0)
    if done:
        assert info["episode"]["r"] == 5.0
        print("mean reward", info["episode"]["r"])
        if len(sys.argv) > 2:
            goldsplit.episode(reward=7.0, win=step % 20 == 9)
            goldsplit.episode(end="left" if step % 20 == 9 else "right")
        env.reset()
"""
)
VECTOR = (
    GAME
    + """
made = gymnasium.vector.SyncVectorEnv([Walk, Walk])
env = gymnasium.wrappers.vector.RecordEpisodeStatistics(made)
env.reset()
for _ in range(220):
    env.step(np.array([0, 1]))
"""
)
SB3 = (
    GAME
    + """
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.monitor import Monitor
torch.set_num_threads(1)
env = Monitor(Walk(), out + "/train.monitor.csv")
checked = EvalCallback(Monitor(Walk()), n_eval_episodes=3, eval_freq=64, verbose=0)
model = PPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, tensorboard_log=out + "/tb")
model.learn(256, callback=checked)
"""
)


def tried(folder: Path, source: str, gates: list[str], *arguments: str) -> Trial:
    (folder / "train.py").write_text(source)
    plan = Plan(
        "t",
        (sys.executable, "train.py", "{out}", *arguments),
        (Variant("base"),),
        gates=tuple(map(gate_text, gates)),
        pairs=1,
    )
    with Experiment(plan, folder / "e", here=folder) as experiment:
        (trial,) = experiment.run_block(0)
    assert trial.complete, trial.problem
    return trial


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_gymnasium_says_it_in_its_infos_and_the_output_says_it_too(tmp_path: Path) -> None:
    gates = ["return", "win_rate", "end_reasons", "score=1@output:mean reward ([0-9.]+)"]
    found = tried(tmp_path, PLAIN, gates).outcomes
    assert (found["return"].count, found["return"].mean) == (40, 5.0)
    assert (found["win_rate"].count, found["win_rate"].mean) == (40, 1.0)
    assert found["end_reasons"].reasons == {"terminated": 40}
    assert (found["score"].count, found["score"].mean) == (40, 5.0)


def test_what_the_program_says_itself_comes_first(tmp_path: Path) -> None:
    gates = ["return", "win_rate", "end_reasons", "info=1@metric:episode_return"]
    found = tried(tmp_path, PLAIN, gates, "itself").outcomes
    assert (found["return"].count, found["return"].mean) == (40, 7.0)
    assert (found["win_rate"].count, found["win_rate"].mean) == (40, 0.5)
    assert found["end_reasons"].reasons == {"left": 20, "right": 20}
    assert (found["info"].count, found["info"].mean) == (40, 5.0)


def test_vector_environments(tmp_path: Path) -> None:
    outcomes = tried(tmp_path, VECTOR, ["return", "win_rate", "end_reasons"]).outcomes
    assert outcomes["end_reasons"].reasons == {"terminated": 40}
    assert (outcomes["win_rate"].count, outcomes["win_rate"].mean) == (40, 1.0)
    found = outcomes["return"]
    assert (found.count, found.mean) == (40, 5.0)  # 2 environments, 220 steps of which every 11th resets


@pytest.mark.slow
def test_monitors_of_sb3_their_files_and_tensorboard(tmp_path: Path) -> None:
    gates = ["return", "end_reasons", "file=1@csv:r", "mean=1@tensorboard:rollout/ep_rew_mean"]
    found = tried(tmp_path, SB3, gates).outcomes
    assert (found["return"].count, found["return"].mean) == (25, 5.0), "without those of the evaluation"
    assert found["end_reasons"].reasons == {"terminated": 25}
    assert (found["file"].count, found["file"].mean) == (25, 5.0)
    assert found["mean"].count >= 2
    assert found["mean"].mean == pytest.approx(5.0)
