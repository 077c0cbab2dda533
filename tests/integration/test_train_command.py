"""goldsplit train for real, with Snake: it stops, goes on bit for bit, and is recorded like any program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import goldsplit
from goldsplit.train.checkpoints import load
from goldsplit.train.options import DqnOptions

pytestmark = [pytest.mark.slow, pytest.mark.needs_torch]
SMALL = ("--game", "snake", "--envs", "8", "--set", "device=cpu", "--set", "hidden=16", "--set", "warmup=200")


def start(folder: Path, *arguments: str, module: str = "goldsplit.train") -> subprocess.Popen[str]:
    """The command in a process group of its own, as a shell starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(folder: Path, *arguments: str, module: str = "goldsplit.train") -> dict[str, Any]:
    """Its outcome."""
    out, err = (process := start(folder, *arguments, "--json", module=module)).communicate(timeout=240)
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def differences(one: Any, other: Any, way: str = "") -> list[str]:
    """Where two states differ; bytes are pickles, whose own layout is not compared."""
    if isinstance(one, dict):
        keys = [] if one.keys() == other.keys() else [f"{way} keys"]
        return keys + [at for key in one for at in differences(one[key], other[key], f"{way}/{key}")]
    if isinstance(one, tuple | list):
        if len(one) != len(other):
            return [f"{way} length"]
        pairs = enumerate(zip(one, other, strict=True))
        return [at for i, (a, b) in pairs for at in differences(a, b, f"{way}/{i}")]
    if isinstance(one, bytes):
        return []
    if isinstance(one, torch.Tensor):
        return [] if torch.equal(one, other) else [way]
    return [] if np.array_equal(one, other) else [way]


@pytest.mark.parametrize("algorithm", ["dqn", "ppo"])
@pytest.mark.parametrize("surroundings", ["fast", "plain"])
def test_a_resumed_training_is_the_one_that_ran_through(
    algorithm: str, surroundings: str, tmp_path: Path
) -> None:
    small = (
        *SMALL,
        "--surroundings",
        surroundings,
        "--set",
        "evaluate_games=10",
        "--set",
        "tensorboard=false",
    )
    if algorithm == "ppo":  # its learning rate follows the steps in all
        small = (*small, "--set", "rollout=16", "--set", "anneal=false")
    whole = run(tmp_path, algorithm, *small, "--steps", "1200", "--folder", "whole")
    first = run(tmp_path, algorithm, *small, "--steps", "600", "--folder", "parts")
    second = run(tmp_path, algorithm, "--resume", "parts", "--steps", "1200")
    assert first["total_steps"] < second["total_steps"] == whole["total_steps"]
    assert second["steps"] == whole["steps"] - first["steps"]
    assert second["updates"] + first["updates"] == whole["updates"] > 0
    assert second["evaluation"] == whole["evaluation"]
    assert second["return"] == whole["return"]
    one, other = (load(tmp_path / name, algorithm) for name in ("whole", "parts"))
    assert differences(one.state, other.state) == []
    assert differences(one.run, other.run) == []


@pytest.mark.parametrize("workers", ["false", "true"])
@pytest.mark.parametrize("surroundings", ["fast", "plain"])
def test_ctrl_c_in_a_terminal_saves_names_and_goes_on(
    surroundings: str, workers: str, tmp_path: Path
) -> None:
    """The whole process group gets the signal, workers too."""
    process = start(
        tmp_path, "dqn", *SMALL, "--steps", "100000000", "--folder", "here", "--set", "tensorboard=false",
        "--surroundings", surroundings, "--set", f"subprocess={workers}", "--json",
        "--set", "checkpoint_every=100",
    )  # fmt: skip
    saved = tmp_path / "here" / "checkpoint.zip"
    until = time.monotonic() + 120
    while not saved.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err, err
    assert "checkpoint: here/checkpoint.zip" in err
    told = json.loads(out)
    assert told["interrupted"] is True
    assert load(saved, "dqn").state["steps"] == told["total_steps"] > 0
    steps = str(told["total_steps"] + 100)
    further = run(tmp_path, "dqn", "--resume", "here", "--steps", steps, "--set", "evaluate_games=2")
    assert further["total_steps"] > told["total_steps"]


def test_goldsplit_records_it_like_any_program(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "goldsplit.train", "dqn", *SMALL, "--steps", "4000", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "goldsplit", "record", "--quiet", "--name", "trained", "--", *program],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    (run_dir,) = (tmp_path / ".goldsplit" / "runs").glob("*-trained-*")
    profile = goldsplit.load(run_dir).profile
    counted = profile.throughput
    assert counted.env_steps == pytest.approx(4_000, abs=100), "games of the evaluation are no training"
    assert counted.eval_env_steps is not None
    assert counted.eval_env_steps > 0
    assert counted.updates is not None
    assert counted.updates > 0
    assert {"act", "eval", "learn.optimizer"} <= {row.stage for row in profile.stages}


def test_no_thread_outlives_a_training() -> None:
    from goldsplit.train.dqn import train

    before = set(threading.enumerate())
    options = DqnOptions(
        game="snake", steps=500, envs=8, warmup=100, prefetch=True, evaluate_games=0, device="cpu"
    )
    assert train(options, quiet=True).updates > 0
    assert set(threading.enumerate()) == before


def test_the_whole_way_with_a_profile_and_tensorboard(tmp_path: Path) -> None:
    first = run(
        tmp_path, "train", "dqn", *SMALL, "--profile", "balance", "--steps", "3000", "--folder", "a",
        "--set", "evaluate_every=1000", "--set", "evaluate_games=10", module="goldsplit",
    )  # fmt: skip
    assert [one["games"] for one in first["evaluations"]] == [10, 10, 10]
    assert first["evaluation"]["return_interval"][0] <= first["evaluation"]["mean_return"]
    assert list((tmp_path / "a").glob("events.out.tfevents.*"))
    again = run(tmp_path, "dqn", "--profile", "a", "--folder", "b")
    assert again["evaluation"] == first["evaluation"], "the same options and seed, the same training"
