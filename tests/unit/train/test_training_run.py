"""The loop around a trainer, with a trainer that only counts: what is done when, and what Ctrl-C leaves."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from goldsplit.train import training_run
from goldsplit.train.checkpoints import FILE_NAME, Checkpoint, load
from goldsplit.train.errors import TrainError
from goldsplit.train.evaluation import Evaluation
from goldsplit.train.options import DqnOptions
from goldsplit.train.training_run import Greedy, TrainingRun, free_name
from goldsplit.train.worlds import Episode

WON = Evaluation(10, 0.5, (0.2, 0.8), 1.0, (0.5, 1.5), 20.0)


class CountingWorld:
    """Remembers what is asked of it."""

    def __init__(self) -> None:
        self.opponents: list[Any] = []
        self.closed = 0

    def set_opponent(self, policy: Any) -> None:
        self.opponents.append(policy)

    def close(self) -> None:
        self.closed += 1


class CountingTrainer:
    """Ten steps and two updates per iteration; every iteration ends a game."""

    kind = "dqn"
    device = torch.device("cpu")

    def __init__(self, options: DqnOptions, steps: int = 0) -> None:
        self.options, self.steps, self.updates = options, steps, steps // 5
        self.world: Any = CountingWorld()
        self.network: nn.Module = nn.Linear(2, 2)
        self.interrupt_at = -1
        self.fail_at = -1

    def iterate(self) -> list[Episode]:
        self.steps += 10
        self.updates += 2
        with torch.no_grad():
            self.network.weight.fill_(float(self.steps))  # type: ignore[operator, union-attr]
        if self.steps == self.interrupt_at:
            os.kill(os.getpid(), signal.SIGINT)
        if self.steps == self.fail_at:
            raise RuntimeError("the game broke")
        return [Episode(0, float(self.steps), 10, self.steps % 20 == 0)]

    def figures(self) -> dict[str, float]:
        return {"loss": 1.0 / self.steps}

    def state(self) -> dict[str, Any]:
        return {"steps": self.steps, "world": {}}


@pytest.fixture(autouse=True)
def arena(monkeypatch: pytest.MonkeyPatch) -> CountingWorld:
    """Evaluations are not played here."""
    world = CountingWorld()
    monkeypatch.setattr(training_run, "make_world", lambda options, envs: world)
    monkeypatch.setattr(training_run, "evaluate", lambda policy, world, games, seed: WON)
    return world


def run(options: DqnOptions, **more: Any) -> TrainingRun:
    return TrainingRun(CountingTrainer(options, **more), quiet=True)


def test_everything_is_done_when_it_is_due(tmp_path: Path, arena: CountingWorld) -> None:
    options = DqnOptions(
        steps=100,
        log_every=25,
        evaluate_every=50,
        checkpoint_every=40,
        folder=str(tmp_path),
        tensorboard=False,
    )
    training = run(options)
    outcome = training.go()
    assert [point.steps for point in outcome.curve] == [30, 50, 80, 100]
    assert [steps for steps, _, _ in outcome.evaluations] == [50, 100], "that of the end only once"
    assert (outcome.steps, outcome.updates, outcome.episodes) == (100, 20, 10)
    assert (outcome.mean_return, outcome.win_rate) == (55.0, 0.5)
    assert load(tmp_path, "dqn").state["steps"] == 100
    assert (arena.closed, training.trainer.world.closed) == (1, 1)


def test_the_outcome_as_json(tmp_path: Path) -> None:
    outcome = run(DqnOptions(steps=20, folder=str(tmp_path), tensorboard=False)).go()
    told = json.loads(json.dumps(outcome.as_dict()))
    assert told["kind"] == "dqn"
    assert told["evaluation"]["win_interval"] == [0.2, 0.8]
    assert told["updates_per_env_step"] == pytest.approx(0.2)
    assert told["steps_per_second"] > 0
    assert told["device"] == "cpu"
    assert told["checkpoint"] == str(tmp_path / FILE_NAME)
    written = json.loads((tmp_path / "outcome.json").read_text())
    assert written["curve"][-1]["steps"] == 20
    assert 'game = "skirmish"' in (tmp_path / "options.toml").read_text()


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run(DqnOptions(steps=20)).go()
    assert outcome.checkpoint is None
    assert list(tmp_path.iterdir()) == []


def test_no_evaluation_where_none_is_wanted() -> None:
    outcome = run(DqnOptions(steps=50, evaluate_games=0, evaluate_every=10)).go()
    assert (outcome.evaluation, outcome.evaluations) == (None, [])


def interrupted(*, quiet: bool) -> TrainingRun:
    """A training that gets Ctrl-C after 50 steps."""
    trainer = CountingTrainer(DqnOptions(steps=1_000))
    trainer.interrupt_at = 50
    return TrainingRun(trainer, quiet=quiet)


def test_ctrl_c_ends_it_with_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(signal.SIGINT)
    for _ in range(2):
        training = interrupted(quiet=False)
        outcome = training.go()
        assert (outcome.interrupted, outcome.steps, outcome.evaluation) == (True, 50, None)
        assert load(Path(str(outcome.checkpoint)), "dqn").state["steps"] == 50
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["goldsplit-dqn-50-2.zip", "goldsplit-dqn-50.zip"], "the first one is not written over"
    assert signal.getsignal(signal.SIGINT) is before
    assert free_name(tmp_path / "goldsplit-dqn-50.zip").name == "goldsplit-dqn-50-3.zip"


def test_a_quiet_training_without_a_folder_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = interrupted(quiet=True).go()
    assert (outcome.interrupted, outcome.checkpoint) == (True, None)
    assert list(tmp_path.iterdir()) == []


def test_games_are_closed_when_the_training_fails() -> None:
    training = run(DqnOptions(steps=1_000))
    training.trainer.fail_at = 30  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="broke"):
        training.go()
    assert training.trainer.world.closed == 1  # type: ignore[attr-defined]


def test_a_folder_with_a_training_is_not_written_over(tmp_path: Path) -> None:
    options = DqnOptions(steps=20, folder=str(tmp_path), tensorboard=False)
    run(options).go()
    with pytest.raises(TrainError, match="already holds a training") as error:
        run(options).go()
    assert f"--resume {tmp_path}" in error.value.hint
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainError, match="cannot be made"):
        run(DqnOptions(steps=20, folder=str(tmp_path / "file"), tensorboard=False)).go()


def test_a_resumed_run_goes_on_with_its_figures(tmp_path: Path) -> None:
    folder = str(tmp_path)
    run(DqnOptions(steps=40, folder=folder, tensorboard=False)).go()
    options = DqnOptions(steps=60, folder=folder, tensorboard=False)
    resumed = TrainingRun(CountingTrainer(options, steps=40), quiet=True, resumed=load(tmp_path, "dqn"))
    outcome = resumed.go()
    assert (outcome.steps, outcome.total_steps, outcome.updates, outcome.episodes) == (20, 60, 4, 2)
    assert outcome.mean_return == 35.0, "games from before count in the running mean"
    assert outcome.curve[-1].updates == 12


def test_with_no_steps_left_it_is_only_evaluated(tmp_path: Path) -> None:
    folder = str(tmp_path)
    run(DqnOptions(steps=40, folder=folder, tensorboard=False)).go()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    options = DqnOptions(steps=1, folder=folder, tensorboard=False)
    again = TrainingRun(CountingTrainer(options, steps=40), quiet=True, resumed=load(tmp_path, "dqn"))
    outcome = again.go()
    assert (outcome.steps, outcome.evaluation) == (0, WON)
    assert outcome.as_dict()["updates_per_env_step"] is None
    assert outcome.as_dict()["steps_per_second"] is None
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_self_play_freezes_the_agent_now_and_then(tmp_path: Path) -> None:
    options = DqnOptions(steps=100, self_play=50, folder=str(tmp_path), tensorboard=False)
    training = run(options)
    training.go()
    opponents = training.trainer.world.opponents  # type: ignore[attr-defined]
    assert [one.network.weight[0, 0].item() for one in opponents[1:]] == [50.0, 100.0]
    saved = load(tmp_path, "dqn")
    assert float(saved.run["opponent"]["weight"][0, 0]) == 100.0


def test_a_resumed_self_play_has_the_opponent_of_before(tmp_path: Path) -> None:
    options = DqnOptions(steps=70, self_play=50)
    trainer = CountingTrainer(options, steps=60)
    weights = {"weight": torch.full((2, 2), 50.0), "bias": torch.zeros(2)}
    TrainingRun(trainer, quiet=True, resumed=Checkpoint("dqn", options, {}, {"opponent": weights})).go()
    (opponent,) = trainer.world.opponents
    assert opponent.network.weight[0, 0].item() == 50.0


def test_games_that_cannot_be_saved_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CountingTrainer, "state", lambda self: {"steps": self.steps, "world": None})
    outcome = run(DqnOptions(steps=20, folder=str(tmp_path), tensorboard=False)).go()
    assert "begins new ones" in outcome.notes["games"]


def test_the_greedy_policy_takes_the_best_valid_action() -> None:
    network = nn.Linear(3, 3, bias=False)
    with torch.no_grad():
        network.weight.copy_(torch.eye(3))
    policy = Greedy(network, torch.device("cpu"))
    obs = np.array([[1, 2, 3], [3, 2, 1]], np.float32)
    masks = np.array([[True, True, False], [True, True, True]])
    assert policy(obs, masks).tolist() == [1, 0]
    frozen = policy.frozen()
    with torch.no_grad():
        network.weight.zero_()
    assert frozen(obs, masks).tolist() == [1, 0]
