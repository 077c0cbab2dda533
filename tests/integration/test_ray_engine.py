"""`--engine ray` on a small cluster of several nodes in this machine, one of which is killed on the way."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from goldsplit.experiment.carry_out import carry_out
from goldsplit.experiment.trials import Experiment
from goldsplit.model.experiment.design import ConfigEdit, Plan, Variant
from goldsplit.store.experiment_files import RUNS

ray = pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.alone]

PROGRAM = """
import json, os, sys, time
from helper import turns

class Game:
    def reset(self):
        return 0
    def step(self, action):
        time.sleep(0.002 if os.environ.get("LESS") else 0.004)
        return 0, 1.0, False, {}

game = Game()
game.reset()
for _ in range(turns(json.load(open(sys.argv[1])))):
    game.step(0)
with open(sys.argv[2] + "/threads.txt", "w") as file:
    print(os.environ.get("OMP_NUM_THREADS"), os.getcwd(), file=file)
"""


@pytest.fixture
def cluster() -> Any:
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    made.worker_nodes_of_test = [made.add_node(num_cpus=1) for _ in range(2)]
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "my project"
    place.mkdir()
    (place / "train.py").write_text(PROGRAM)
    (place / "helper.py").write_text("def turns(settings):\n    return settings['game']['turns']\n")
    (place / "settings.json").write_text(json.dumps({"game": {"turns": 150}}))
    return place


def test_a_node_is_killed_and_nothing_is_lost(
    cluster: Any, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from goldsplit.experiment.engines.ray_engine import RayEngine

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    variants = (
        Variant("base"),
        Variant("less", {"LESS": "1"}),
        Variant("longer", edits=(ConfigEdit("settings.json", "game.turns", "200"),)),
    )
    plan = Plan("t", ("python", "train.py", "settings.json", "{out}"), variants, pairs=4)
    begun: list[int] = []
    engine = RayEngine(cluster.address)
    assert engine.width == 2

    def kill_one(progress: Any) -> None:
        begun.append(progress.block)
        if len(begun) == 4:
            victim = cluster.worker_nodes_of_test[0]
            threading.Thread(target=cluster.remove_node, args=(victim, False)).start()

    with Experiment(plan, tmp_path / "e", here=project, engine=engine) as experiment:
        done = carry_out(experiment, kill_one, lambda trial: None)
    engine.close()
    assert not done.interrupted
    assert len(engine.lost) == 1
    assert len(begun) > 12, "the block of the killed node was made again"
    trials = experiment.trials
    assert sorted((t.block, t.variant) for t in trials) == sorted(
        (block, name) for block in range(4) for name in ("base", "less", "longer")
    )
    assert all(trial.complete for trial in trials), [trial.problem for trial in trials]
    assert {t.curve[-1].env_steps for t in trials if t.variant == "longer"} == {200}
    assert {t.curve[-1].env_steps for t in trials if t.variant != "longer"} == {150}
    for block in range(4):
        assert len({t.node for t in trials if t.block == block}) == 1, "a block never spans two nodes"
    for trial in trials:
        assert (tmp_path / "e" / RUNS / trial.run / "run.json").is_file(), "its recording is here"
        threads, _, where = (
            (tmp_path / "e" / "files" / f"{trial.block}-{trial.variant}" / "threads.txt")
            .read_text()
            .partition(" ")
        )
        assert threads == "None", "Ray's own setting did not reach the trial"
        assert "goldsplit-node-" in where
    gain = done.comparison.judged[0].effect.gain
    assert gain is not None
    assert gain > 1.2
