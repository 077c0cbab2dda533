"""The judge of the fault projects, for tests: what a busy machine may have bent is asked for twice."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

JUDGE = Path(__file__).resolve().parents[2] / "benchmarks" / "faults_judge.py"


def load_judge() -> ModuleType:
    """Benchmarks are scripts, not a package: load one by its file."""
    spec = importlib.util.spec_from_file_location("faults_judge", JUDGE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["faults_judge"] = module  # dataclasses look their module up here
    spec.loader.exec_module(module)
    return module


judge = load_judge()


def disturbing_twice(project: judge.Project, work: Path) -> list[str]:
    """What two recordings of the fixed program both complain about; the second is made only if needed."""
    first = judge.judge_fixed(judge.record(project, "fixed", work / "first")).disturbing
    if not first:
        return []
    again = judge.judge_fixed(judge.record(project, "fixed", work / "again")).disturbing
    seen_again = {finding.code for finding in again}
    return [judge.describe(finding) for finding in first if finding.code in seen_again]
