"""What environments return, hashed as it comes: outermost results, lanes, checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldsplit.experiment.equivalence import compare_trajectories
from goldsplit.model.stage import ENV_RESET, ENV_STEP, VEC_COPY
from goldsplit.model.trajectory import Trajectory
from goldsplit.model.wire import Variable
from goldsplit.record.inside import trajectories
from goldsplit.record.inside.alterations import alter_stages, forget_alterations
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.span_wrapping import staged
from goldsplit.store.trajectory_file import read_trajectory

Follow = Callable[[Callable[[], Any]], Trajectory]


@pytest.fixture
def follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: ThreadState) -> Iterator[Follow]:
    """follow(play): the trajectory of what is played."""
    forget_alterations()
    alter_stages(trajectories._followed)
    monkeypatch.setattr(trajectories, "process_name", lambda: "main")
    runs = iter(range(100))

    def run(play: Callable[[], Any]) -> Trajectory:
        folder = tmp_path / str(next(runs))
        folder.mkdir()
        monkeypatch.setenv(Variable.RUN_DIR, str(folder))
        trajectories._start_over()
        play()
        trajectories.finish()
        found = read_trajectory(folder)
        assert found is not None
        return found

    yield run
    trajectories._start_over()
    forget_alterations()


def game(n: int = 0) -> Any:
    """An environment whose steps are staged as in a recorded program."""

    class Game:
        """Counts."""

        def __init__(self) -> None:
            self.at = 0

        def reset(self) -> Any:
            return np.zeros(2), {}

        def step(self, action: Any) -> Any:
            self.at += 1
            reward = 1.0 if self.at != n else 2.0
            return np.full(2, self.at), reward, self.at % 10 == 0, False, {}

    Game.step = staged(Game.step, ENV_STEP)  # type: ignore[method-assign]
    Game.reset = staged(Game.reset, ENV_RESET)  # type: ignore[method-assign]
    return Game()


def play(env: Any, steps: int) -> None:
    env.reset()
    for number in range(steps):
        env.step(np.int64(number % 3))


def test_checkpoints_and_the_last_step(follow: Follow) -> None:
    found = follow(lambda: play(game(), 130))
    assert list(found.environments) == ["main/env-0"]
    steps = [row.step for row in found.environments["main/env-0"]]
    assert steps == [1, 2, 4, 8, 16, 32, 64, 128, 130]
    assert found.steps == 130


def test_equal_play_and_another_reward(follow: Follow) -> None:
    base = follow(lambda: play(game(), 200))
    assert compare_trajectories(base, follow(lambda: play(game(), 200))).answer == "yes"
    found = compare_trajectories(base, follow(lambda: play(game(n=70), 200)))
    assert (found.answer, found.step, found.field) == ("no", 128, "reward")


def test_an_action_may_have_any_type(follow: Follow) -> None:
    one, two = (follow(lambda kind=kind: game().step(kind(3))) for kind in (int, np.int64))
    assert compare_trajectories(one, two).answer == "yes"
    other = follow(lambda: game().step(4))
    assert compare_trajectories(one, other).field == "action"


def test_only_the_outermost_is_seen(follow: Follow) -> None:
    class Wrapper:
        """Around a game."""

        def __init__(self, env: Any) -> None:
            self.env = env

        def step(self, action: Any) -> Any:
            return self.env.step(action)

    Wrapper.step = staged(Wrapper.step, ENV_STEP)  # type: ignore[method-assign]
    found = follow(lambda: Wrapper(game()).step(1))
    assert list(found.environments) == ["main/env-0"]


def test_lanes_of_a_vector_environment(follow: Follow) -> None:
    class Vector:
        """Two games in one."""

        num_envs = 2

        def __init__(self, second: float) -> None:
            self.second = second

        def step(self, actions: Any) -> Any:
            observation = {"board": np.array([[1.0], [2.0]])}
            return observation, np.array([0.5, self.second]), np.array([False, True]), [{}, {}]

    Vector.step = staged(Vector.step, VEC_COPY)  # type: ignore[method-assign]
    one, two = (follow(lambda n=n: Vector(n).step(np.array([0, 1]))) for n in (1.0, 3.0))
    assert list(one.environments) == ["main/vector-0[0]", "main/vector-0[1]"]
    found = compare_trajectories(one, two)
    assert (found.environment, found.field, found.step) == ("main/vector-0[1]", "reward", 1)


def test_a_function_that_steps_is_one_environment(follow: Follow) -> None:
    advance = staged(trajectories.plain_action, ENV_STEP)
    found = follow(lambda: all(advance(n) is not None for n in range(4)))
    assert [row.step for row in found.environments["main/env-0"]] == [1, 2, 4]


def test_what_cannot_be_hashed_is_said_once_and_harms_nobody(follow: Follow) -> None:
    advance = staged(trajectories.plain_action, ENV_STEP)
    found = follow(lambda: all(advance(object()) for _ in range(3)))
    assert found.problems == ("main: builtins.object",)
    assert not ENGINE.failures


def test_many_environments_one_after_the_other(follow: Follow) -> None:
    def each_episode() -> None:
        for _ in range(3):
            play(game(), 3)

    found = follow(each_episode)
    assert list(found.environments) == ["main/env-0", "main/env-1", "main/env-2"]
    assert all(rows[-1].step == 3 for rows in found.environments.values())


def test_processes_have_names_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(Variable.FIRST_PROCESS, "1")
    assert trajectories.process_name() in ("process", "worker-1")


def test_torn_lines_and_equal_names(tmp_path: Path) -> None:
    whole = {"env": "env-0", "step": 1, "digests": ["r", "a", "b", "c", "d"]}
    for number in (1, 2):
        head = {"process": "main", "start": number, "version": 1}
        lines = [json.dumps(head), json.dumps(whole), json.dumps({"env": "env-0", "step": 2}), '{"env": "e']
        (tmp_path / f"trajectory-{number}.jsonl").write_text("\n".join(lines))
    found = read_trajectory(tmp_path)
    assert found is not None
    assert {name: len(rows) for name, rows in found.environments.items()} == {
        "main/env-0": 1,
        "main#2/env-0": 1,
    }
    assert read_trajectory(tmp_path / "nothing") is None
