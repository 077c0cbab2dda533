from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.replay_sampling_grows import RULE
from goldsplit.model.profile import Profile, UserLine
from goldsplit.model.progress import Drift


def run(make: SimpleNamespace, **changes: Any) -> Profile:
    grown = {
        "stage": "replay.sample",
        "us_per_env_step_first": 100.0,
        "us_per_env_step_last": 900.0,
        "factor": 9.0,
        "us_per_call_first": 200.0,
        "us_per_call_last": 1_800.0,
        "call_factor": 9.0,
        "against": "transitions stored",
        "correlation": 0.99,
        **changes,
    }
    stages = [make.row("replay.sample", 0.4, mean_us=1_000.0), make.row("env.step", 0.4)]
    lines = [UserLine(make.place(70, "Replay.sample"), "replay.sample", 0.4, 80)]
    return make.profile(stages, drift=Drift(-0.5, [grown]), user_lines=lines)


def test_it_grows_with_the_fill(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, run(make))
    assert finding.where.function == "Replay.sample"
    assert finding.share == pytest.approx(0.4 * 0.8), "what it cost over what it cost at first"
    assert finding.confidence == "high"
    assert finding.evidence["grows_with"] == "transitions stored"


def test_less_certain_if_the_cause_is_not_the_fill(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, run(make, against=None, correlation=None))
    assert finding.confidence == "medium"


@pytest.mark.parametrize(
    "changes",
    [{"call_factor": 1.05}, {"call_factor": None}, {"stage": "env.step"}],
    ids=["only called more often", "calls not counted", "something else grew"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, Any]) -> None:
    assert make.found(RULE, run(make, **changes)) == []
