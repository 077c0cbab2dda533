"""The programs' own truth must hold without any profiler: whole, exclusive, exactly counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).resolve().parents[3] / "benchmarks" / "programs"


def truth_of(tmp_path: Path, program: str, turns: int, *arguments: str) -> dict[str, Any]:
    out = tmp_path / "truth.json"
    command = [sys.executable, str(PROGRAMS / f"{program}.py"), "--startup", "0", "--steps", str(turns)]
    subprocess.run(
        [*command, *arguments], env={**os.environ, "TRUTH_OUT": str(out)}, check=True, capture_output=True
    )
    truth: dict[str, Any] = json.loads(out.read_text())
    return truth


def check_whole(truth: dict[str, Any]) -> None:
    shares = truth["wall_shares"]
    assert sum(shares.values()) + truth["unexplained_share"] == pytest.approx(1.0, abs=1e-9)
    assert all(0.0 <= share <= 1.0 for share in shares.values()), shares
    assert 0.0 <= truth["unexplained_share"] < 0.2  # loose: a busy machine may pause between two clocks


def test_functions_only(tmp_path: Path) -> None:
    truth = truth_of(tmp_path, "bare_functions", 40)
    check_whole(truth)
    assert truth["counts"]["env_steps"] == truth["counts"]["updates"] == 40
    assert set(truth["wall_shares"]) >= {"act", "env.step", "replay.add", "replay.sample", "learn.*"}
    assert truth["snapshots"][-1]["counts"] == truth["counts"]


@pytest.mark.slow
@pytest.mark.needs_torch
def test_pipe_workers_know_who_was_slow(tmp_path: Path) -> None:
    truth = truth_of(tmp_path, "pipes_unequal", 60, "--workers", "2", "--slow-factor", "8")
    check_whole(truth)
    assert truth["counts"]["env_steps"] == 120
    slow = next(note for note in truth["notes"] if note.startswith("slow worker: ")).split(": ")[1]
    busiest = max(truth["workers"], key=lambda pid: truth["workers"][pid]["busy_seconds"])
    assert busiest == slow
    assert truth["wall_shares"]["env.step+env.observe"] > 0.0


@pytest.mark.slow
@pytest.mark.needs_torch
def test_a_prefetcher_is_charged_to_sampling(tmp_path: Path) -> None:
    truth = truth_of(tmp_path, "prefetch", 40, "--sample-us", "20000")
    check_whole(truth)
    shares = truth["wall_shares"]
    assert shares["replay.sample"] > shares["category:communication"]
