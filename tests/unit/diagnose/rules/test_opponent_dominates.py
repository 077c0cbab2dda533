from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.opponent_dominates import RULE
from goldsplit.model.profile import UserLine


def test_the_opponent_is_most_of_the_step(make: SimpleNamespace, line: Callable[..., UserLine]) -> None:
    lines = [line("env.opponent", 0.5, "line_of_sight"), line("env.step", 0.1, "move")]
    stages = {"env.opponent": 0.6, "env.step": 0.15, "act": 0.2}
    (finding,) = make.found(RULE, make.profile(stages, user_lines=lines))
    assert finding.where.function == "line_of_sight"
    assert finding.evidence["part_of_environment"] == pytest.approx(0.8)
    assert finding.ceiling_speedup == pytest.approx(2.5)


@pytest.mark.parametrize(
    "stages",
    [
        {"env.opponent": 0.3, "env.step": 0.5, "act": 0.1},
        {"env.opponent": 0.1, "act": 0.8},
        {"env.step": 0.9},
    ],
)
def test_a_moderate_opponent_is_fine(make: SimpleNamespace, stages: dict[str, float]) -> None:
    assert make.found(RULE, make.profile(stages)) == []


def test_a_cheap_turn_is_fine_whatever_its_share(make: SimpleNamespace) -> None:
    rows = [make.row("env.opponent", 0.6, mean_us=400.0), make.row("env.step", 0.2)]
    assert make.found(RULE, make.profile(rows)) == []
