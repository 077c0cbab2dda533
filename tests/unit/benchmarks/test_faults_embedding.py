"""Fault projects in other surroundings: their own lines stay where they are."""

from __future__ import annotations

import ast
import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
FAULTS = ROOT / "tests" / "faults"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


embedding, judge = load("faults_embedding"), load("faults_judge")
CODES = [project.code for project in judge.projects() if (project.folder / "slow").exists()]


@pytest.mark.parametrize("surrounding", ["worker", "thread"])
@pytest.mark.parametrize("code", CODES)
def test_every_project_can_be_put_there(code: str, surrounding: str, tmp_path: Path) -> None:
    for twin in ("slow", "fixed"):
        copy = tmp_path / twin
        shutil.copytree(FAULTS / code / twin, copy)
        before = (copy / "train.py").read_text().splitlines()
        script = embedding.embed(copy, surrounding)
        after = (copy / "train.py").read_text().splitlines()
        changed = [new for old, new in zip(before, after, strict=True) if old != new]
        assert changed in ([], ["def embedded():"])
        for path in copy.glob("*.py"):
            ast.parse(path.read_text())
        assert (copy / script).exists()


def test_alone_nothing_changes(tmp_path: Path) -> None:
    assert embedding.embed(tmp_path, "alone") == "train.py"


def test_what_makes_no_sense_is_a_project_and_has_a_reason() -> None:
    for (code, surrounding), reason in embedding.WITHOUT.items():
        assert code in CODES
        assert surrounding in embedding.SURROUNDINGS
        assert reason


def test_projects_are_chosen_by_name_or_by_its_beginning() -> None:
    assert [one.code for one in judge.chosen(["slow-idiom"])] == ["slow-idiom"]
    assert len(judge.chosen(["slow-id"])) > 1
    assert judge.chosen(["nothing-like-it"]) == []
