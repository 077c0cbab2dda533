"""Every planted fault is found, at its line; where it is fixed nothing is.

These are the projects marked `quick` in their `fault.toml`; `benchmarks/faults.py` runs all of them, once
each. Here a verdict that a busy machine may have bent is asked for again, from a second recording: only what
both of them show is wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.integration.fault_judge import disturbing_twice, judge

pytestmark = pytest.mark.alone

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
    found = disturbing_twice(project, tmp_path)
    assert not found, "\n".join(found)
