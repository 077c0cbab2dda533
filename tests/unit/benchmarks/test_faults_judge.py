"""The judge of findings: marked lines, verdicts, and what every finding must have."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from goldsplit.model.finding import Finding, Place

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


judge = load("faults_judge")

SLOW = """\
import game

LIMIT = 3  # fault


class Game:
    def step(self):
        for _ in range(LIMIT):
            self.search()  # fault
        return 0

    def search(self):
        return 1
"""


@pytest.fixture
def project(tmp_path: Path) -> Any:
    folder = tmp_path / "slow-thing"
    (folder / "slow").mkdir(parents=True)
    (folder / "slow" / "train.py").write_text(SLOW)
    (folder / "fault.toml").write_text('deep = true\nseconds = 4\n[env]\nOMP_NUM_THREADS = ""\n')
    return judge.read_project(folder)


def finding(**changes: Any) -> Finding:
    made = Finding(
        code="slow-thing",
        title="slow",
        where=Place("/tmp/x/project/train.py", 8, "Game.step"),
        stage="env.step",
        evidence={"calls": 3, "shares": {"env.step": 0.5}},
        share=0.5,
        ceiling_speedup=2.0,
        confidence="high",
        remedy="fix",
        verify="look",
    )
    return dataclasses.replace(made, **changes)


def test_settings(project: Any) -> None:
    assert (project.code, project.deep, project.seconds, project.quick) == ("slow-thing", True, 4.0, False)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("deep = true\nsecond = 4\n", "unknown settings .'second'."),
        ("deep = true\n", "'seconds'. must be set"),
    ],
    ids=["misspelt", "missing"],
)
def test_a_wrong_setting_is_an_error(tmp_path: Path, settings: str, problem: str) -> None:
    (tmp_path / "fault.toml").write_text(settings)
    with pytest.raises(ValueError, match=problem):
        judge.read_project(tmp_path)


def test_an_empty_variable_is_removed(project: Any) -> None:
    assert "OMP_NUM_THREADS" not in judge.environment(project.env)
    assert judge.environment({})["OMP_NUM_THREADS"] == "1"


def test_a_mark_stands_for_its_function_or_for_its_line(project: Any) -> None:
    assert list(judge.planted_lines(project)) == [("train.py", 3, 3), ("train.py", 7, 10)]


@pytest.mark.parametrize(
    ("line", "file", "right"),
    [
        (9, "train.py", True),
        (7, "train.py", True),
        (3, "train.py", True),
        (13, "train.py", False),
        (9, "env.py", False),
    ],
)
def test_places(project: Any, line: int, file: str, right: bool) -> None:
    assert judge.is_planted(project, Place(f"/tmp/x/project/{file}", line, "")) is right


def test_no_place_is_the_wrong_place(project: Any) -> None:
    assert not judge.is_planted(project, None)


def test_verdicts() -> None:
    found = finding()
    assert judge.SlowVerdict(2, found, True, (found,)).passed
    assert not judge.SlowVerdict(3, found, True, (found,)).passed
    assert not judge.SlowVerdict(1, found, False, (found,)).passed
    assert not judge.SlowVerdict(None, None, False, ()).passed
    assert judge.FixedVerdict((finding(share=0.01, ceiling_speedup=1.01),)).passed
    assert not judge.FixedVerdict((found,)).passed


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "x" * 111},
        {"title": "two\nlines"},
        {"confidence": "certain"},
        {"effort": "weeks"},
        {"remedy": " "},
        {"verify": ""},
        {"evidence": {}},
        {"evidence": {"share": math.nan}},
        {"evidence": {"share": None}},
        {"share": 1.5},
        {"ceiling_speedup": 0.5},
    ],
    ids=str,
)
def test_complaints(changes: dict[str, Any]) -> None:
    assert judge.complaints(finding()) == []
    assert len(judge.complaints(finding(**changes))) == 1
