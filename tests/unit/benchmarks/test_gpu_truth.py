from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[3] / "benchmarks" / "gpu_truth.py"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("gpu_truth", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gpu_truth"] = module
    spec.loader.exec_module(module)
    return module


gpu_truth = load()
REPORT = {
    "categories": [{"category": "learning", "wall_share": 0.5}],
    "stages": [{"stage": "learn.loss", "category": "learning"}],
    "devices": [{"busy_share": 0.8, "stages": [{"stage": "learn.loss", "busy_share": 0.7}]}],
}


def test_shares_are_compared_by_category() -> None:
    told = {"wall": {"learning": 0.52}, "rounds_per_second": 100.0}
    # The device works 9 ms and 7.1 ms in each of 100 rounds a second.
    rows = gpu_truth.compare("dqn", told, {"": 0.009, "learning": 0.0071}, REPORT)
    assert [(row.figure, row.held) for row in rows] == [
        ("wall learning", True),
        ("device busy", False),
        ("device learning", True),
    ]


def test_a_device_that_was_not_measured_misses_the_bar() -> None:
    told = {"wall": {}, "rounds_per_second": 100.0}
    (row,) = gpu_truth.compare("dqn", told, {"": 0.0}, REPORT | {"devices": []})
    assert row.said is None
    assert not row.held
    assert "-" in gpu_truth.table([row])
