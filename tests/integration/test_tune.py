"""goldsplit tune on a tiny program: profiles are written, and applied by `record --profile`."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("optuna")
pytestmark = [pytest.mark.slow, pytest.mark.alone]

PROGRAM = """
import os, random, sys
import goldsplit

class Game:
    def reset(self):
        self.turn = 0
        return 0
    def step(self, action):
        self.turn += 1
        for _ in range(400 * int(sys.argv[1])):
            pass
        return 0, 1.0, self.turn >= 10, {}

draw = random.Random(int(os.environ["SEED"]))
game = Game()
game.reset()
for _ in range(3000):
    if game.step(0)[2]:
        goldsplit.episode(reward=10.0, win=draw.random() < 0.5)
        game.reset()
with open("ran.txt", "a") as file:
    print(*sys.argv[1:], os.environ.get("DEPTH"), file=file)
"""
SPACE = """
command = ["{python}", "train.py", "{{work}}"]
metric = "cpu_seconds_per_1000_env_steps"
seed_variable = "SEED"
candidates = 3
pairs = 8
[space]
work = [8, 4, 1]
[incumbent]
work = 8
[env]
DEPTH = "d{{work}}"
[gates.win_rate]
max_drop = 0.2
"""


def goldsplit(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "goldsplit", *arguments]
    seeded = {"SEED": "1", **os.environ}
    return subprocess.run(command, cwd=folder, env=seeded, capture_output=True, text=True, timeout=200)


def test_profiles_are_written_and_applied(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "space.toml").write_text(SPACE.format(python=sys.executable))
    done = goldsplit(tmp_path, "tune", "space.toml")
    assert done.returncode == 0, done.stderr
    assert "candidate 1 of 2" in done.stderr, "there are no more settings than two beside the incumbent"
    for name in ("speed", "balance"):
        text = (tmp_path / f"{name}.toml").read_text()
        assert "# " + name in text, "with the evidence in comments"
        assert "faster and not worse" in text
        assert tomllib.loads(text)["settings"] == {"work": "1"}
    (tmp_path / "ran.txt").unlink()
    record = ["record", "--quiet", "--no-stacks", "--profile", "speed.toml", "--", sys.executable]
    again = goldsplit(tmp_path, *record, "train.py", "{work}")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "ran.txt").read_text() == "1 d1\n"
