"""On a trainer that is written as it should be, no rule finds anything worth anybody's time."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_judge() -> ModuleType:
    """Benchmarks are scripts, not a package: load one by its file."""
    spec = importlib.util.spec_from_file_location("faults_judge", ROOT / "benchmarks" / "faults_judge.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["faults_judge"] = module  # dataclasses look their module up here
    spec.loader.exec_module(module)
    return module


judge = load_judge()


@pytest.mark.slow
def test_a_well_written_trainer_is_left_alone(tmp_path: Path) -> None:
    folder = ROOT / "tests" / "faults" / "well-written"
    project = judge.Project("well-written", folder, True, 4.0, True, (), (), {})
    verdict = judge.judge_fixed(judge.record(project, "fixed", tmp_path))
    assert not verdict.disturbing, "\n".join(judge.describe(finding) for finding in verdict.disturbing)
