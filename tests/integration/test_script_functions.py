"""Scripts without classes: the first call of a function counts as much as the last."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import random

def new_game():
    return {"place": 3, "turns": 0}

def move(game, action):
    game["place"] += 1 if action else -1
    game["turns"] += 1
    return game["place"], float(game["place"] == 7), game["place"] in (0, 7) or game["turns"] > 60

def pick(table, place):
    return random.randrange(2) if random.random() < 0.2 else int(table[place][1] > table[place][0])

table = {place: [0.0, 0.0] for place in range(8)}
steps = 0
while steps < 30_000:
    game, over = new_game(), False
    place = game["place"]
    while not over:
        action = pick(table, place)
        after, reward, over = move(game, action)
        table[place][action] += 0.1 * (reward + 0.9 * max(table[after]) - table[place][action])
        place, steps = after, steps + 1
print(steps)
"""


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--progress", "train:pick"]])
def test_steps_are_counted_from_the_first_call_on(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    goldsplit = [sys.executable, "-m", "goldsplit"]
    recording = [*goldsplit, "record", "--quiet", *options, "--", sys.executable, "train.py"]
    done = subprocess.run(recording, cwd=tmp_path, capture_output=True, text=True, check=True)
    shown = subprocess.run([*goldsplit, "show", "--json"], cwd=tmp_path, capture_output=True, check=True)
    counted = json.loads(shown.stdout)["throughput"]
    assert counted["env_steps"] == int(done.stdout)
    assert counted["step_means"] == ("a call of train:pick" if options else None)
