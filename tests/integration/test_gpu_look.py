"""`record --gpu` from the program to the report, on a device that is made up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.alone

PROGRAM = Path(__file__).parent / "torch_programs" / "made_up_gpu.py"
GOLDSPLIT = [sys.executable, "-m", "goldsplit"]


def report_of(folder: Path, *options: str) -> dict[str, Any]:
    recording = [*GOLDSPLIT, "record", "--quiet", "--no-stacks", *options, "--out", str(folder), "--"]
    subprocess.run([*recording, sys.executable, str(PROGRAM)], check=True, timeout=120)
    (run,) = folder.glob("*made_up*")
    shown = subprocess.run([*GOLDSPLIT, "show", str(run), "--json"], capture_output=True, check=True)
    report: dict[str, Any] = json.loads(shown.stdout)
    return report


@pytest.mark.slow
def test_waits_go_to_the_stage_whose_work_the_device_does(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    report = report_of(tmp_path, "--gpu")
    shares = {row["stage"]: row["wall_share"] for row in report["stages"]}
    per_second = report["throughput"]["env_steps_per_second"]
    assert shares["learn.loss"] == pytest.approx(0.010 * per_second, abs=0.06)
    assert "transfer.wait" not in shares
    (device,) = report["devices"]
    assert device["name"] == "made-up GPU"
    assert device["mark_windows"] > 0
    assert device["busy_share"] is None  # torch's profiler sees no such device
    assert device["memory_peak_bytes"] == 4096
    assert not any("own code failed" in note for note in report["trust"]["notes"])


@pytest.mark.slow
def test_without_the_switch_the_report_says_what_it_does_not_know(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    report = report_of(tmp_path)
    assert "transfer.wait" not in {row["stage"] for row in report["stages"]}
    (device,) = report["devices"]
    assert "record with --gpu" in device["note"]
    assert device["mark_windows"] == 0
