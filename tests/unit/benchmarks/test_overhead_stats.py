"""The statistics that judge goldsplit's cost."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


stats = load("overhead_stats")


def test_ratios_are_paired_by_relay() -> None:
    assert stats.ratios([2.0, 9.0], [1.0, 3.0]) == [2.0, 3.0]


def test_added_time_is_per_step_in_microseconds() -> None:
    assert stats.added_us_per_step([1.5e9], [1.0e9], steps=1000) == [pytest.approx(500.0)]


def test_the_interval_holds_the_median_and_repeats() -> None:
    values = [1.0, 1.1, 0.9, 1.05, 1.2, 0.95]
    found = stats.spread(values)
    assert found.low95 <= found.median <= found.high95
    assert (found.lowest, found.highest, found.pairs) == (0.9, 1.2, 6)
    assert stats.spread(values) == found


def test_a_verdict_is_only_given_where_the_interval_decides() -> None:
    assert stats.judge(stats.Spread(1.01, 1.0, 1.02, 1.00, 1.015, 9), 1.02) == "ok"
    assert stats.judge(stats.Spread(1.04, 1.0, 1.09, 1.03, 1.06, 9), 1.02) == "MISS"
    assert stats.judge(stats.Spread(1.01, 0.9, 1.09, 0.98, 1.05, 9), 1.02) == "unsure"


def test_a_few_pairs_decide_nothing_however_alike_they_are() -> None:
    assert stats.judge(stats.spread([1.0, 1.0]), 1.02) == "unsure"
    assert stats.judge(stats.spread([1.0] * stats.FEWEST_PAIRS), 1.02) == "ok"


def test_no_pairs_is_an_error_and_one_pair_is_its_own_interval() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        stats.spread([])
    assert stats.spread([1.3]).low95 == stats.spread([1.3]).high95 == 1.3


def test_relays_of_several_runs_are_put_together_by_program_and_tool() -> None:
    first = {"program": "pipes", "tool": "goldsplit", "wall_ratio": [1.01, 1.02]}
    other = {"program": "pipes", "tool": "bare again", "wall_ratio": [0.99]}
    later = {"program": "pipes", "tool": "goldsplit", "wall_ratio": [1.03], "minute": {"disk_bytes": 7}}
    merged = stats.merge([first, other, later])
    assert [(row["tool"], row["wall_ratio"]) for row in merged] == [
        ("goldsplit", [1.01, 1.02, 1.03]),
        ("bare again", [0.99]),
    ]
    assert merged[0]["minute"] == {"disk_bytes": 7}
    assert first["wall_ratio"] == [1.01, 1.02], "what was given stays as it was"
