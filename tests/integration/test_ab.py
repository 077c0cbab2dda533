"""goldsplit ab on a real program: variants by variable and by patch, gates, Ctrl-C and going on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.alone

PROGRAM = """
import os, random, sys
import goldsplit

WORK = 900


class Game:
    def reset(self):
        self.turn = 0
        return 0

    def step(self, action):
        self.turn += 1
        total = 0
        for i in range(WORK // int(os.environ.get("LESS", "1"))):
            total += i * i
        return total, 1.0, self.turn >= 20, {}


def main(steps, seed):
    draw = random.Random(seed)
    game = Game()
    game.reset()
    for _ in range(steps):
        if game.step(draw.randrange(4))[2]:
            goldsplit.episode(reward=20.0, win=draw.random() < 0.5)
            game.reset()


if os.environ.get("BREAK"):
    raise TypeError("unhashable")
main(int(sys.argv[1]), int(sys.argv[2]))
"""


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / ".gitignore").write_text(".goldsplit\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "train.py").write_text(PROGRAM.replace("WORK = 900", "WORK = 300"))
    (tmp_path / "fix.diff").write_text(git(tmp_path, "diff"))
    (tmp_path / "train.py").write_text(PROGRAM + "# not yet committed\n")
    return tmp_path


def ab(project: Path, *arguments: str, steps: int = 2000) -> list[str]:
    command = ["--", sys.executable, "train.py", str(steps), "{seed}"]
    return [sys.executable, "-m", "goldsplit", "ab", "--json", "out.json", "--quiet", *arguments, *command]


def result_of(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project / "out.json").read_text())
    return found


@pytest.mark.slow
def test_a_variable_and_a_patch_against_the_base(project: Path) -> None:
    arguments = [
        "--variant",
        "less:env=LESS=3",
        "--variant",
        "fix:patch=fix.diff",
        "--variant",
        "bad:env=BREAK=1",
    ]
    metric = ["--metric", "cpu_seconds_per_1000_env_steps", "--gate", "win_rate=0.3"]
    done = subprocess.run(
        ab(project, "--pairs", "8", *arguments, *metric),
        cwd=project,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    judged = {one["variant"]: one for one in result_of(project)["judged"]}
    for name in ("less", "fix"):
        assert judged[name]["effect"]["gain"] > 1.5, judged[name]
        assert judged[name]["verdict"] == "faster and not worse"
        assert judged[name]["gates"][0]["base_episodes"] == judged[name]["gates"][0]["episodes"] == 800
        assert judged[name]["counts"] == [], "both make the same calls"
    assert judged["bad"]["verdict"] == "failed"
    assert len(result_of(project)["failed"]) == 2
    assert "TypeError: unhashable" in result_of(project)["failed"][0][2]
    assert "faster and not worse" in done.stdout
    # The user's files are untouched, and no worktree is left.
    assert (project / "train.py").read_text().endswith("# not yet committed\n")
    assert git(project, "worktree", "list").count("\n") == 1
    assert not list((project / ".goldsplit" / "experiments" / "train" / "trees").iterdir())


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done_and_resume_goes_on(project: Path) -> None:
    arguments = ["--variant", "same:env=X=1", "--pairs", "2", "--name", "stop"]
    running = subprocess.Popen(
        ab(project, *arguments, steps=6000),
        cwd=project,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    trials = project / ".goldsplit" / "experiments" / "stop" / "trials.jsonl"
    deadline = time.monotonic() + 60
    while not trials.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "--resume" in said
    kept = len(trials.read_text().splitlines())
    assert 1 <= kept < 4
    done = subprocess.run(
        ab(project, *arguments, "--resume", steps=6000),
        cwd=project,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 3, done.stderr
    assert result_of(project)["judged"][0]["effect"]["pairs"] == 2
    assert len(trials.read_text().splitlines()) >= 4
