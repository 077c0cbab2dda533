"""The bundled demo: a proper environment, and a recording that explains it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_hexfight.py"


@pytest.fixture(scope="module")
def hexfight() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_hexfight", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_masked_play_stays_in_the_rules(hexfight: ModuleType) -> None:
    env = hexfight.HexFight(seed=3)
    chooser = np.random.default_rng(0)
    observation, _ = env.reset(seed=3)
    endings = 0
    for _ in range(400):
        mask = env.action_masks()
        assert mask[hexfight.HOLD]
        assert env.observation_space.contains(observation)
        own = env.units[env.active]
        assert own.alive
        cells = [unit.cell for unit in env.units if unit.alive]
        assert len(set(cells)) == len(cells)
        assert not env.walls & set(cells)
        observation, _, ended, cut, _ = env.step(chooser.choice(np.flatnonzero(mask)))
        if ended or cut:
            endings += 1
            observation, _ = env.reset()
    assert endings > 0


def test_the_same_seed_is_the_same_game(hexfight: ModuleType) -> None:
    games = []
    for _ in range(2):
        env = hexfight.HexFight(seed=5)
        env.reset(seed=5)
        games.append([env.step(int(np.flatnonzero(env.action_masks())[0]))[1] for _ in range(30)])
    assert games[0] == games[1]


@pytest.mark.slow
def test_the_demo_is_recorded_and_explained(tmp_path: Path) -> None:
    goldsplit = [sys.executable, "-m", "goldsplit"]
    training = [sys.executable, str(EXAMPLE), "--steps", "1024"]
    recorded = subprocess.run(
        [*goldsplit, "record", "--name", "demo", "--out", str(tmp_path), "--", *training],
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert recorded.returncode == 0, recorded.stderr
    assert "mean reward" in recorded.stdout
    assert "Bottleneck" in recorded.stderr
    assert recorded.stderr.splitlines()[-1].startswith("run: ")
    assert "\x1b" not in recorded.stderr
    shown = subprocess.run(
        [*goldsplit, "show", "demo", "--json", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    report = json.loads(shown.stdout)
    assert report["throughput"]["env_steps"] == 1024
    assert report["throughput"]["updates"] == 4 * 1024 // 128
    assert sum(lane["role"] == "env-worker" for lane in report["lanes"]) == 2
    shares = [row["wall_share"] for row in report["stages"]] + [report["unattributed"]["wall_share"]]
    assert sum(shares) == pytest.approx(1.0, abs=1e-6)
    assert {"env.opponent", "env.observe", "env.mask", "act"} <= {row["stage"] for row in report["stages"]}
