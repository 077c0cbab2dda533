from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.startup_imports import RULE
from goldsplit.model.profile import Profile

STAGES = {"env.step": 0.6, "act": 0.3}


def test_every_worker_imports_torch(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    imports = [
        make.fact("import", "torch", 1, seconds, pid=pid, place=make.place(4, "<module>"))
        for pid, seconds in ((100, 9.0), (101, 20.0), (102, 22.0))
    ]
    (finding,) = make.found(RULE, team(STAGES, facts=imports))
    assert finding.where == make.place(4, "<module>")
    assert finding.evidence["workers_importing"] == 2
    assert finding.evidence["import_seconds_all_workers"] == 42.0
    assert finding.evidence["whole_run_seconds"] == 110.0
    assert finding.share == pytest.approx(0.2)


def test_no_finding_in_a_long_run(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    assert make.found(RULE, team(STAGES, facts=[make.fact("import", "torch", 1, 3.0, pid=101)])) == []


def test_the_trainers_own_import_is_needed(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    assert make.found(RULE, team(STAGES, facts=[make.fact("import", "torch", 1, 40.0, pid=100)])) == []
