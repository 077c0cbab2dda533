"""Every planted fault is found, at its line; where it is fixed nothing is.

These are the projects marked `quick` in their `fault.toml`; `benchmarks/faults.py` runs all of them, once
each. Here a verdict that a busy machine may have bent is asked for again, from a second recording: only what
both of them show is wrong.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

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
QUICK = [project for project in judge.projects() if project.quick]
every_project = pytest.mark.parametrize("project", QUICK, ids=lambda project: project.code)


@pytest.mark.slow
@every_project
def test_the_fault_is_found_at_its_line(project: judge.Project, tmp_path: Path) -> None:
    verdict = judge.judge_slow(project, judge.record(project, "slow", tmp_path / "first"))
    if not verdict.passed:
        verdict = judge.judge_slow(project, judge.record(project, "slow", tmp_path / "again"))
    told = "\n".join(judge.describe(finding) for finding in verdict.findings) or "no finding"
    assert verdict.rank is not None, f"not found; found instead:\n{told}"
    assert verdict.rank <= judge.MOST_RANK, told
    assert verdict.place_right, f"{list(judge.planted_lines(project))} expected:\n{told}"
    assert [text for finding in verdict.findings for text in judge.complaints(finding)] == []


@pytest.mark.slow
@every_project
def test_nothing_is_found_where_it_is_mended(project: judge.Project, tmp_path: Path) -> None:
    disturbing = judge.judge_fixed(judge.record(project, "fixed", tmp_path / "first")).disturbing
    if disturbing:
        again = judge.judge_fixed(judge.record(project, "fixed", tmp_path / "again")).disturbing
        seen_again = {finding.code for finding in again}
        disturbing = [finding for finding in disturbing if finding.code in seen_again]
    assert not disturbing, "\n".join(judge.describe(finding) for finding in disturbing)
