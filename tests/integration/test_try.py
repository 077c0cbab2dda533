"""goldsplit try on a real program: a constant check is found, timed and kept; an impure memo is stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.alone

PROGRAM = """
import random, sys

OPAQUE = set()
CALLS = [0]


def sees(a, b):
    return not any((a * 7 + b * i) % 97 in OPAQUE for i in range(60))


def bonus(unit):
    CALLS[0] += 1
    return CALLS[0] // 500


class Game:
    def reset(self):
        self.turn = 0
        self.units = list(range(8))
        return tuple(self.units)

    def step(self, action):
        self.turn += 1
        self.units[self.turn % 8] += action
        seen = sum(sees(a, b) for a in self.units for b in self.units)
        return tuple(self.units), float(seen + bonus(1)), self.turn >= 20, {}


def main(steps, seed):
    draw = random.Random(seed)
    game = Game()
    game.reset()
    for _ in range(steps):
        _, _, done, _ = game.step(draw.randrange(3))
        if done:
            game.reset()


main(int(sys.argv[1]), int(sys.argv[2]))
"""
CONSTANT, IMPURE = "constant:train:sees", "memo:train:bonus@run,verify=1"


@pytest.mark.slow
def test_a_constant_check_is_kept_and_an_impure_memo_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    overlays = ["--only", "--overlay", CONSTANT, "--overlay", IMPURE]
    budget = ["--minutes", "2", "--trial-seconds", "60", "--json", "out.json", "--quiet"]
    command = ["--", sys.executable, "train.py", "1500", "{seed}"]
    done = subprocess.run(
        [sys.executable, "-m", "goldsplit", "try", *overlays, *budget, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    assert (result["format"], result["version"]) == ("goldsplit-try", 1)
    rows = {row["overlay"]: row for row in result["tried"]}
    assert rows[CONSTANT]["equal"] == "yes", rows
    assert rows[CONSTANT]["measured_gain"] > 1.2, rows
    assert rows[CONSTANT]["pairs"] >= 6
    assert rows[IMPURE]["verdict"] == "drop"
    assert "it would have changed an answer" in rows[IMPURE]["why"]
    assert "bonus" in rows[IMPURE]["why"]
    assert rows[IMPURE]["pairs"] == 0
    assert "same play" in done.stdout
    run = tmp_path / ".goldsplit" / "runs" / result["run"]
    assert json.loads((run / "tried.json").read_text()) == result


@pytest.mark.slow
def test_a_command_that_fails_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("raise ValueError('no such map')\n")
    done = subprocess.run(
        [sys.executable, "-m", "goldsplit", "try", "--quiet", "--", sys.executable, "train.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "the command fails with exit code 1: ValueError: no such map" in done.stderr
    assert "Traceback" not in done.stderr
