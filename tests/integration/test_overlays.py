"""Overlays on small real programs, in the trainer and in workers of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.experiment.equivalence import Equivalence, compare_trajectories
from goldsplit.store.trajectory_file import read_trajectory

GAME = """
import json, multiprocessing, sys
import numpy as np

FEATURES = ["x + 1", "x * 2", "x - 3"]
calls = [0]

def roughness(cells):
    calls[0] += 1
    return float(np.abs(np.diff(cells)).sum())

class Game:
    '''Walk right; every tenth step ends an episode.'''
    def __init__(self):
        self.opaque = frozenset()
        self.sights = 0
    def is_visible(self, start, end):
        self.sights += 1
        return not any((x, 0) in self.opaque for x in range(start, end))
    def reset(self):
        self.at = 0
        return self.observe()
    def observe(self):
        cells = np.array([self.at, 2 * self.at, 1.0])
        rough = [roughness(cells) for _ in range(4)]
        return np.array([eval(text, {"x": self.at}) for text in FEATURES] + rough, np.float32)
    def step(self, action):
        self.at += 1
        seen = sum(self.is_visible(0, n) for n in range(5))
        return self.observe(), float(seen), self.at >= 10, {}

def play(steps):
    game = Game()
    game.reset()
    total = 0.0
    for _ in range(steps):
        observation, reward, done, _ = game.step(0)
        total += reward + float(observation.sum())
        if done:
            game.reset()
    return {"total": total, "sights": game.sights, "rough": calls[0]}
"""

ALONE = GAME + "\nif __name__ == '__main__':\n    print(json.dumps(play(400)))\n"
WORKERS = (
    GAME
    + """
if __name__ == '__main__':
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(json.dumps(pool.apply(play, (400,))))
        pool.close()
        pool.join()
"""
)
KEPT = ("constant:program:Game.is_visible", "memo:program:roughness@step", "compiled-text")


def with_all(*overlays: str) -> tuple[str, ...]:
    return ("--no-stacks", "--trajectory", *(part for text in overlays for part in ("--with", text)))


def changed(run: Any) -> dict[str, dict[str, int]]:
    return {use["overlay"]: use["changed"] for use in run.report["run"]["overlays"]}


@pytest.fixture(scope="module")
def plain(record: Callable[..., Any]) -> Any:
    return record(ALONE, options=with_all())


@pytest.mark.slow
def test_kept_answers_change_nothing_but_the_calls(plain: Any, record: Callable[..., Any]) -> None:
    run = record(ALONE, options=with_all(*KEPT))
    assert run.exit_code == 0, run.stderr
    assert run.truth["total"] == plain.truth["total"]
    assert run.truth["sights"] < plain.truth["sights"]
    assert run.truth["rough"] < plain.truth["rough"]
    assert all(changed(run)[text] for text in KEPT), run.stderr
    assert plain.report["run"]["overlays"] == []
    assert same_play(plain, run).reason == "equal over 400 steps of 1 environment"


def same_play(one: Any, two: Any) -> Equivalence:
    first, second = read_trajectory(one.run_dir), read_trajectory(two.run_dir)
    assert first is not None
    assert second is not None
    return compare_trajectories(first, second)


@pytest.mark.slow
def test_other_play_is_told_with_its_step(plain: Any, record: Callable[..., Any]) -> None:
    other = record(ALONE.replace("float(seen)", "float(seen + (calls[0] > 900))"), options=with_all())
    found = same_play(plain, other)
    assert (found.answer, found.environment, found.field) == ("no", "main/env-0", "reward")
    assert found.step == 256


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_they_take_hold_in_workers(method: str, plain: Any, record: Callable[..., Any]) -> None:
    run = record(WORKERS, method, options=with_all(*KEPT))
    assert run.exit_code == 0, run.stderr
    assert run.truth["total"] == plain.truth["total"]
    assert run.truth["sights"] < plain.truth["sights"]
    assert all(changed(run)[text] for text in KEPT), run.stderr
    trajectory = read_trajectory(run.run_dir)
    assert trajectory is not None
    assert list(trajectory.environments) == ["worker-1/env-0"]
    assert trajectory.steps == 400


OUTPUT = (
    GAME
    + """
class Saver:
    saved = evaluated = 0
    def evaluate(self, learner):
        self.evaluated += 1
    def save_checkpoint(self, path):
        self.saved += 1

class Learner:
    updates = 0
    def train_step(self, batch):
        self.updates += 1
        return 0.5

if __name__ == '__main__':
    game, learner, saver = Game(), Learner(), Saver()
    game.reset()
    for n in range(60):
        game.step(0)
        print('step', n)
        learner.train_step([n])
        if n % 20 == 0:
            saver.evaluate(learner)
            saver.save_checkpoint('model.bin')
    print(json.dumps({"updates": learner.updates, "saved": saver.saved, "evaluated": saver.evaluated}))
"""
)


@pytest.mark.slow
def test_quiet_and_every_third_update(record: Callable[..., Any]) -> None:
    overlays = ("quiet", "every:3:learn.loss", "slow:env.observe:50", "no-eval", "no-checkpoint")
    run = record(OUTPUT, options=with_all(*overlays))
    assert run.exit_code == 0, run.stderr
    assert run.truth == {"updates": 20, "saved": 0, "evaluated": 0}
    assert changed(run)["no-eval"] == changed(run)["no-checkpoint"] == {"calls skipped": 3}
    assert run.stdout.count("step") <= 1  # before the first one was counted
    assert changed(run)["quiet"]["prints left out"] >= 59
    assert changed(run)["every:3:learn.loss"] == {"calls left out": 40}
    assert changed(run)["slow:env.observe:50"]["calls made slower"] >= 60


IMPURE = GAME.replace("return float(np", "return calls[0] // 300 + float(np").replace(
    "self.at += 1", "self.at += 1; calls[0] += 1"
)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["", "spawn"])
def test_the_memo_of_an_impure_function_is_stopped(method: str, record: Callable[..., Any]) -> None:
    program = IMPURE + (WORKERS if method else ALONE).removeprefix(GAME)
    run = record(program, method, options=("--quiet", *with_all("memo:program:roughness@run")))
    assert run.exit_code == 4, run.stderr
    assert "stopped the run: program:roughness with" in run.stderr
    assert "but the kept answer was" in run.stderr
    assert run.report["run"]["status"] == "stopped"


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_workers_get_threads_of_their_own(record: Callable[..., Any], method: str) -> None:
    program = """
    import json, multiprocessing, os, sys

    def tell(answers):
        answers.put(os.environ["OMP_NUM_THREADS"])

    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        answers = context.SimpleQueue()
        workers = [context.Process(target=tell, args=(answers,)) for _ in range(2)]
        for worker in workers:
            worker.start()
        print(json.dumps([os.environ["OMP_NUM_THREADS"], *(answers.get() for _ in workers)]))
        for worker in workers:
            worker.join()
    """
    run = record(program, method, options=with_all("threads:2,workers=1"))
    assert run.truth == ["2", "1", "1"]
    assert changed(run)["threads:2,workers=1"]["started processes with a number of their own"] == 2
    assert "Traceback" not in run.stderr


@pytest.mark.slow
def test_threads_and_validation_of_torch(record: Callable[..., Any]) -> None:
    program = """
    import json, os
    import torch
    torch.set_num_threads(2)
    for _ in range(20):
        torch.distributions.Categorical(logits=torch.zeros(3)).sample()
    print(json.dumps({"threads": torch.get_num_threads(), "omp": os.environ["OMP_NUM_THREADS"]}))
    """
    run = record(program, options=with_all("threads:3", "no-validation", "memo:program:nothing"))
    assert run.truth == {"threads": 3, "omp": "3"}
    assert changed(run)["threads:3"]["torch.set_num_threads(2) of the program overridden"] == 1
    assert changed(run)["no-validation"] == {"distributions made without validation": 20}
    assert changed(run)["memo:program:nothing"] == {}
    assert "memo:program:nothing: changed nothing" in run.stderr
