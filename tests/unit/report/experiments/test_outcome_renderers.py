"""An experiment's conclusion as text: the whole of it, and what must not be said."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from goldsplit.model.experiment.conclusion import (
    Comparison,
    CountChange,
    Decision,
    Effect,
    GateResult,
    GateState,
    Judged,
    MachineNoise,
    Verdict,
)
from goldsplit.report.experiments.outcome_renderers import OutcomeMarkdown, OutcomeRenderer
from goldsplit.report.terminal import TerminalRenderer

CPU = "cpu_seconds_per_1000_env_steps"
GOLDEN = Path(__file__).parents[3] / "golden"


def check_golden(name: str, rendered: str) -> None:
    if os.environ.get("GOLDSPLIT_REGENERATE"):
        (GOLDEN / name).write_text(rendered, encoding="utf-8")
    assert rendered == (GOLDEN / name).read_text(encoding="utf-8")


def comparison() -> Comparison:
    gain = Effect(
        "env_steps_per_second", 8, 1.312, 1.21, 1.42, 0.025, 0.08, 1.09, 9, 461.0, 604.8, (1.3,) * 8
    )
    cpu = Effect(
        "cpu_seconds_per_1000_env_steps", 8, 1.29, 1.26, 1.33, 0.025, 0.03, 1.03, 6, 2.1, 1.63, (1.3,) * 8
    )
    nothing = Effect("env_steps_per_second", 0, None, None, None, 0.05, None, None)
    gates = (
        GateResult("win_rate", GateState.PASSED, 0.50, 0.51, 0.01, -0.012, 0.031, 0.03, 4000, 4000),
        GateResult("return", GateState.NOT_MEASURED, None, None, None, None, None, 0.05, why="no values"),
    )
    lean = Judged(
        "lean", Verdict.FASTER, Decision.KEEP, "1.31x (1.21x to 1.42x)", gain, cpu, gates,
        (CountChange("bytes sent", 5120.0, 640.0),), 9, "yes", "", 1.45,
    )  # fmt: skip
    broken = Judged("broken", Verdict.FAILED, Decision.UNDECIDED, "no pair", nothing)
    return Comparison(
        "lean-info", "env_steps_per_second", 0.1, ("python", "train.py"), 8, (lean, broken),
        MachineNoise(2, 0.9, 1.4, 0.02, 0.06, False), (("broken", 0, "exit code 1: TypeError"),),
        ("a note",), 26, 0.2,
    )  # fmt: skip


def test_the_terminal() -> None:
    text = OutcomeRenderer(TerminalRenderer(width=90)).render(comparison())
    check_golden("experiment.txt", text)
    assert "None" not in text
    assert "nan" not in text


def test_markdown() -> None:
    text = OutcomeMarkdown().render(comparison())
    check_golden("experiment.md", text)
    assert "None" not in text


@pytest.mark.parametrize("width", [72, 120])
def test_it_fits(width: int) -> None:
    lines = OutcomeRenderer(TerminalRenderer(width=width)).render(comparison()).splitlines()
    assert max(map(len, lines)) <= width


def test_json_can_be_read_back() -> None:
    found = json.loads(json.dumps(comparison().to_json()))
    assert (found["format"], found["version"]) == ("goldsplit-experiment", 1)
    assert found["judged"][0]["effect"]["low"] == 1.21
    assert found["judged"][1]["effect"]["gain"] is None
