"""What `make demo` leaves on the screen: all of it on 80 columns and 24 lines, with the prompt below."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from goldsplit.model.experiment.side_by_side import SideBySide, SideRun
from goldsplit.report.last_screen import MOST_LINES
from goldsplit.report.terminal import TerminalRenderer

ROOT = Path(__file__).resolve().parents[3]


def load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


demo = load(ROOT / "tools" / "demo.py")
MAKERS = load(ROOT / "tests" / "unit" / "report" / "conftest.py").MAKERS


@pytest.mark.parametrize("run", ["single", "subprocess", "deep", "nothing"])
def test_verdict_and_before_and_after_are_no_more_than_after_any_recording(run: str) -> None:
    slow, fast = side("1-demo", 6820.0), side("2-demo-fast", 115.2)
    found = SideBySide(slow, fast, 59.2, [], [], [])
    lines = demo.last_lines(MAKERS[run](), "demo", found, TerminalRenderer(width=80))
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= 80
    assert [sum(line.startswith(label) for line in lines) for label in ("Bottleneck", "Next", "Trust")] == [
        1
    ] * 3
    assert "After        147 → 8,681 env steps/s with goldsplit.fast: 59.2x (single runs)" in lines
    assert "all of it: goldsplit show demo" in lines
    assert not any(line.startswith("run: ") for line in lines)


def test_a_speed_that_was_not_measured_is_not_told() -> None:
    found = SideBySide(side("a", None), side("b", 115.2), None, [], [], [])
    (line,) = demo.before_and_after(found)
    assert "not measured" in line


def side(name: str, us_per_env_step: float | None) -> SideRun:
    return SideRun(name, [], 1000, us_per_env_step, us_per_env_step, None, 100, None, None)


def test_both_trainings_differ_in_their_surroundings_only() -> None:
    slow, fast = demo.training("plain"), demo.training("fast")
    assert [(a, b) for a, b in zip(slow, fast, strict=True) if a != b] == [("plain", "fast")]


def test_the_remedy_is_a_function_of_the_game() -> None:
    kind, module, name = demo.REMEDY.split(":")
    assert kind == "constant"
    file = ROOT / "src" / Path(*module.split(".")).with_suffix(".py")
    assert f"def {name}(" in file.read_text(encoding="utf-8")
