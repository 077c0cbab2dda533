"""`goldsplit env` with real processes: figures, hashes with and without watchers, exit codes, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

GAMES = '''
import random
print("the engine talks")

class Game:
    """A plain class: legal actions, a dict observation with texts, work that the deep look sees."""
    n_actions = 4

    def __init__(self, size=30):
        self.size = size

    def reset(self):
        self.t, self.x = 0, 0
        return self.build_observation()

    def legal_actions(self):
        return {action for action in range(4) if action != self.t % 4}

    def build_observation(self):
        return {"x": self.x, "near": {"tank", str(self.x % 3)}, "row": [self.x * i for i in range(self.size)]}

    def can_see(self, x):
        return sum(i * x for i in range(120)) >= -1

    def enemy_turn(self):
        return [self.can_see(x) for x in range(self.size)]

    def step(self, action):
        assert action != self.t % 4, "only valid actions are played"
        self.t += 1
        self.x = (self.x + random.randrange(5) * action) % 17
        self.enemy_turn()
        return self.build_observation(), float(self.x), self.t >= 25, {}

class Fails(Game):
    def step(self, action):
        if self.t == 20:
            raise ValueError("the knight fell off")
        return super().step(action)

class Shaky(Game):
    def reset(self):
        return super().reset() | {"luck": random.SystemRandom().random()}

def crash():
    class Crash(Game):
        def step(self, action):
            import os, signal
            os.kill(os.getpid(), signal.SIGSEGV)
    return Crash()

def cheat(observation):
    return 0

def make(size): return Game(size)
'''


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "games.py").write_text(GAMES)
    (folder / "broken.py").write_text("import os\nos.nothing_of_that_name\n")
    return folder


def bare(project: Path, *arguments: str, hash_seed: str = "0") -> dict[str, Any]:
    """The driver without goldsplit around it."""
    done = subprocess.run(
        [sys.executable, "-m", "goldsplit.record.drive", *arguments],
        cwd=project,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "the engine talks" in done.stderr, "what the environment prints is not data"
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def driven(goldsplit: Command, project: Path) -> dict[str, Any]:
    """One run of the plain game, long enough for the deep look."""
    arguments = ("games.py:Game", "--steps", "6000", "--seed", "5", "--hash", "--json", "--name", "plain")
    done = goldsplit("env", *arguments, "--out", "runs", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "the engine talks" in done.stderr
    return json.loads(done.stdout)


def test_a_plain_game_is_timed_and_explained(driven: dict[str, Any]) -> None:
    assert driven["asked"]["mask"] == "legal_actions()"
    assert driven["steps"] == 6000
    assert driven["episodes"]["ended"] == 240
    assert (driven["episodes"]["shortest_steps"], driven["episodes"]["longest_steps"]) == (25, 25)
    step = driven["step"]
    assert step["p50_us"] <= step["p95_us"] <= step["p99_us"] <= step["max_us"]
    assert step["calls"] == driven["timed_steps"] - driven["warm_up_steps"]
    assert 0.05 <= step["slowest_share"] < 1.0
    assert driven["speed"]["low"] <= driven["speed"]["high"]
    assert 0.0 < driven["driver_share"] < 0.9
    assert driven["reset"]["calls"] > 0
    hot = {spot["function"]: spot for spot in driven["hotspots"]}
    assert any("can_see" in name for name in hot)


@pytest.mark.alone
def test_the_deep_look_was_taken_and_the_game_was_the_same(driven: dict[str, Any], project: Path) -> None:
    assert driven["deep"] is not None, driven["trust"]
    assert driven["deep"]["windows"] >= 1
    calls = {
        function["place"]["function"]: function["calls_per_env_step"]
        for function in driven["deep"]["functions"]
    }
    assert calls["Game.can_see"] == pytest.approx(30, rel=0.35)
    assert driven["hash"]["repeated"] is True, "watched or not, it plays the same"
    alone = bare(project, "games:Game", "--steps", "6000", "--seed", "5", "--hash", hash_seed="77")
    assert alone["driven"]["hash"]["value"] == driven["hash"]["value"], (
        "in every process, under every hash seed"
    )
    assert driven["hash"]["steps"] == 6000


def test_the_run_is_an_ordinary_run(driven: dict[str, Any], goldsplit: Command, project: Path) -> None:
    header = json.loads((Path(driven["run"]["path"]) / "run.json").read_text())
    assert (header["kind"], header["name"], header["seed"], header["status"]) == (
        "env",
        "plain",
        5,
        "complete",
    )
    shown = goldsplit("show", "plain", "--out", "runs", "--json", cwd=project)
    assert shown.returncode == 0, shown.stderr
    report = json.loads(shown.stdout)
    assert report["throughput"]["env_steps"] == 6000
    stages = {row["stage"] for row in report["stages"]}
    assert {"env.step", "env.opponent", "env.observe", "env.mask", "driver"} <= stages


def test_a_gymnasium_environment_on_the_terminal(goldsplit: Command, project: Path) -> None:
    done = goldsplit(
        "env", "CartPole-v1", "--steps", "400", "--vector", "2", "--hash", "--out", "gym", cwd=project
    )
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "CartPole-v1 · 2 environments in turn · random actions · seed 0" in text
    for word in ("Speed", "p50", "Slowest 5 %", "Reset", "Episodes", "Driver", "Hash", "goldsplit show gym/"):
        assert word in text
    assert "the same in a second process" in text


def test_a_step_that_fails_keeps_what_was_measured(goldsplit: Command, project: Path) -> None:
    done = goldsplit("env", "games:Fails", "--out", "failing", cwd=project)
    assert done.returncode == 2
    assert "error: step raised at step 21: ValueError: the knight fell off (games.py:" in done.stderr
    assert "hint:" in done.stderr
    assert 'raise ValueError("the knight fell off")' in done.stderr, "the user's own traceback"
    assert "goldsplit/record" not in done.stderr, "and nothing of ours in it"
    assert "Ended early" in done.stdout
    assert "p50" in done.stdout
    assert len(list((project / "failing").iterdir())) == 1


def test_a_game_that_cannot_be_repeated_is_told(goldsplit: Command, project: Path) -> None:
    done = goldsplit("env", "games:Shaky", "--steps", "60", "--hash", "--json", "--out", "shaky", cwd=project)
    assert json.loads(done.stdout)["hash"]["repeated"] is False


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Cartpole-v1",), ("no Gymnasium environment 'Cartpole-v1'", "did you mean CartPole-v1?")),
        (("broken:Env",), ("cannot import broken: AttributeError", "(broken.py:2)")),
        (("games:make",), ("making games:make failed: TypeError", "'size'", "--kwargs")),
        (("games:Game", "--policy", "games:cheat"), ("returned the invalid action 0", "allows 1, 2, 3")),
        (("games:crash",), ("ended by signal 11",)),
        (("games:Game", "--kwargs", "size=3"), ("--kwargs is not JSON",)),
        (("games:Game", "--kwargs", "[3]"), ("--kwargs is not an object",)),
        (("games:Game", "--steps", "0"), ("--steps",)),
    ],
)
def test_bad_input(
    goldsplit: Command, project: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    done = goldsplit("env", *arguments, "--out", "refused", cwd=project)
    assert done.returncode == 2, (done.stdout, done.stderr)
    for word in words:
        assert word in done.stderr
    assert "error:" in done.stderr.lower()
    assert "src/goldsplit/" not in done.stderr, "no traceback of ours"
    assert done.stdout == "", "nothing was measured"
    assert not (project / "refused").exists(), "and nothing is left behind"


SLOW = """
import time
class Slow:
    n_actions = 2
    def reset(self):
        return 0
    def step(self, action):
        time.sleep(0.02)
        print("stepped", flush=True)
        return 0, 0.0, False, {}
"""


@pytest.fixture
def interrupted(tmp_path: Path) -> Iterator[Callable[..., tuple[int, str, str]]]:
    """interrupted(pass): Ctrl-C in the first or second pass; exit code, stdout and stderr."""
    (tmp_path / "slow.py").write_text(SLOW)
    started: list[subprocess.Popen[str]] = []

    def run(wanted: int) -> tuple[int, str, str]:
        command = ["env", "slow:Slow", "--json", "--out", "runs"] + (["--steps", "20"] if wanted == 2 else [])
        process = subprocess.Popen(
            [sys.executable, "-m", "goldsplit", *command],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        assert process.stderr is not None
        seen = ""
        for line in process.stderr:
            seen += line
            if seen.count("stepped") >= (5 if wanted == 1 else 25):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, seen + err

    yield run
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=10)


@pytest.mark.parametrize("wanted", [1, 2])
def test_ctrl_c_prints_what_was_measured(
    interrupted: Callable[..., tuple[int, str, str]], wanted: int
) -> None:
    code, out, err = interrupted(wanted)
    assert code == 130, err
    assert "Traceback" not in err
    data = json.loads(out)
    assert data["finished"] is False
    assert data["failure"] is None
    assert (data["run"] is None) == (wanted == 1)
    assert data["timed_steps"] >= 4
    if wanted == 2:
        assert data["timed_steps"] == 20
        assert 4 <= data["steps"] <= 20
