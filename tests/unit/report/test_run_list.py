"""Runs in a list: what a report comes to, and in what neighbours differ."""

from __future__ import annotations

from typing import Any

import pytest

from goldsplit.model.report import Report, RunSummary
from goldsplit.report.run_list import bottleneck_text, differences, speed_text, summarised

BASE = ["python", "train.py", "--seed", "1", "--lr", "0.1"]


def test_a_report_in_a_list(reports: dict[str, Report]) -> None:
    found = summarised(reports["single"])
    flow = reports["single"].profile.throughput
    assert (found.speed, found.unit) == (flow.env_steps_per_second, "env steps")
    assert found.stage in {row.stage for row in reports["single"].profile.stages}
    assert summarised(reports["nothing"]) == RunSummary(None, "env steps", None, None)


def test_what_was_not_measured_is_a_dash() -> None:
    assert speed_text(None) == bottleneck_text(None) == "–"
    assert speed_text(RunSummary(None, "env steps", None, None)) == "–"
    assert speed_text(RunSummary(12.0, "updates", None, None)) == "12.0 updates/s"
    assert bottleneck_text(RunSummary(None, "env steps", "learn() train.py:45", 0.4)) == "learn() 40 %"


@pytest.mark.parametrize(
    ("former", "header", "told"),
    [
        ({"command": BASE}, {"command": BASE}, []),
        ({"command": BASE}, {"command": [*BASE[:3], "2", *BASE[4:]]}, ["--seed 1 → 2"]),
        ({"command": BASE}, {"command": [*BASE, "--fast"]}, ["+ --fast"]),
        ({"command": BASE}, {"command": BASE[:4]}, ["without --lr 0.1"]),
        ({"command": BASE}, {"command": ["make", "demo"]}, ["make demo"]),
        ({"overlays": ["a"]}, {"overlays": ["b"]}, ["+ --with b", "without --with a"]),
        (
            {"git": {"revision": "a" * 40, "changed": False}},
            {"git": {"revision": "b" * 40, "changed": True}},
            ["commit aaaaaaa → bbbbbbb", "changes not committed"],
        ),
        ({"git": {"revision": "a", "changed": True}}, {"git": {"revision": "a"}}, ["no uncommitted changes"]),
        ({"environment": {}}, {"environment": {"OMP_NUM_THREADS": "1"}}, ["OMP_NUM_THREADS not set → 1"]),
        ({"packages": {"torch": "2.1"}}, {"packages": {"torch": "2.2"}}, ["torch 2.1 → 2.2"]),
        ({"host": "a"}, {"host": "\x1b[31m"}, ["host a → [31m"]),
    ],
)
def test_in_what_neighbours_differ(former: dict[str, Any], header: dict[str, Any], told: list[str]) -> None:
    assert differences(former, header) == told
