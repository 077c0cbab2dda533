"""A real DQN that slows down in two ways: both are named with factors; what-if and horizon answer."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

pytestmark = pytest.mark.alone

PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks" / "programs" / "drifting_dqn.py"
OPTIONS = ("--startup", "0", "--runners", "256", "--steps", "1600", "--fall-turns", "200")
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def drifting(record: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Some seconds of training, recorded, with the program's own clocks beside it."""
    out = tmp_path_factory.mktemp("truth") / "truth.json"
    done = record(
        "",
        command=(sys.executable, str(PROGRAM), *OPTIONS),
        env={"TRUTH_OUT": str(out)},
    )
    assert done.exit_code == 0, done.stderr
    return done, json.loads(out.read_text())


def between(truth: dict[str, Any], start: float, end: float) -> dict[str, float]:
    """The program's own figures between two shares of its time."""
    snaps = truth["snapshots"]
    first, last = (snaps[round(part * (len(snaps) - 1))] for part in (start, end))
    steps = last["counts"]["env_steps"] - first["counts"]["env_steps"]
    sampling = last["totals_ns"]["replay.sample"] - first["totals_ns"].get("replay.sample", 0)
    episodes = last["counts"]["episodes"] - first["counts"]["episodes"]
    return {"sample_us": sampling / 1e3 / steps, "episode_steps": steps / max(1, episodes)}


def alike(one: float, other: float) -> bool:
    """Within a factor of two: goldsplit's quarters are windows since learning began, the program's are of
    its time, and both factors are steep."""
    return 0.5 < one / other < 2.0


@pytest.mark.slow
def test_both_effects_are_named_with_their_factors(drifting: Any) -> None:
    done, truth = drifting
    drift = done.report["drift"]
    first, last = between(truth, 0.0, 0.25), between(truth, 0.75, 1.0)
    grown = next(row for row in drift["growing_stages"] if row["stage"] == "replay.sample")
    assert alike(grown["factor"], last["sample_us"] / first["sample_us"])
    assert grown["factor"] > 1.5
    assert grown["call_factor"] > 1.5, "each call became more expensive, not more frequent"
    assert grown["against"] == "transitions stored"
    assert drift["episodes_change"] == "longer"
    assert alike(drift["episode_factor"], last["episode_steps"] / first["episode_steps"])
    assert drift["episode_factor"] > 3


@pytest.mark.slow
def test_the_verdict_says_both_in_env_steps(drifting: Any, goldsplit: Command) -> None:
    done, _ = drifting
    text = " ".join(goldsplit("show", str(done.run_dir), cwd=done.directory).stdout.split())
    over_time = text.partition("Over time")[2].partition("Trust")[0]
    assert "replay.sample" in over_time
    assert "per env step" in over_time
    assert "with transitions stored" in over_time
    assert "Episodes became longer" in over_time


@pytest.mark.slow
def test_the_horizon_is_longer_than_proportion_says(drifting: Any, goldsplit: Command) -> None:
    done, truth = drifting
    target = str(3 * truth["counts"]["episodes"])
    shown = goldsplit("horizon", str(done.run_dir), "--episodes", target, "--json", cwd=done.directory)
    if (
        shown.returncode == 2
    ):  # some noisy seconds can tell too little: then it says so, and how far they tell
        assert "hint: record" in shown.stderr, shown.stderr
        return
    answer = json.loads(shown.stdout)
    assert answer["high_seconds"] <= 3 * answer["low_seconds"]
    # How much longer depends on which growth fits some noisy seconds best; that it is longer does not.
    assert answer["naive_error"] < -0.1
    assert answer["low_seconds"] <= answer["wall_seconds"] <= answer["high_seconds"]
    assert answer["episode_steps"]["last"] > 2 * answer["episode_steps"]["first"]


@pytest.mark.slow
def test_questions_are_answered_or_refused(drifting: Any, goldsplit: Command) -> None:
    done, _ = drifting
    asked = ("whatif", str(done.run_dir), "--free", "replay.sample", "--json")
    answer = json.loads(goldsplit(*asked, cwd=done.directory).stdout)
    row = next(row for row in done.report["stages"] if row["stage"] == "replay.sample")
    assert answer["prediction"]["speedup"] == pytest.approx(1 / (1 - row["wall_share"]), rel=0.02)
    refused = goldsplit("whatif", str(done.run_dir), "--free", "replay.sampel", cwd=done.directory)
    assert refused.returncode == 2
    assert "did you mean replay.sample?" in refused.stderr
    assert "Traceback" not in refused.stderr
