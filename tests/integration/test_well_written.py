"""On a trainer that is written as it should be, no rule finds anything worth anybody's time."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.integration.fault_judge import disturbing_twice, judge

pytestmark = pytest.mark.alone


@pytest.mark.slow
def test_a_well_written_trainer_is_left_alone(tmp_path: Path) -> None:
    folder = judge.PROJECTS / "well-written"
    project = judge.Project(
        code="well-written",
        folder=folder,
        deep=True,
        seconds=4.0,
        quick=True,
        args=(),
        options=(),
        env={},
        rule="none",
    )
    found = disturbing_twice(project, tmp_path)
    assert not found, "\n".join(found)
