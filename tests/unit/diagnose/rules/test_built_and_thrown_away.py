"""More observations than steps need, by counts alone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.built_and_thrown_away import RULE
from goldsplit.model.hot_code.source_look import SourceLook


def run(
    make: SimpleNamespace,
    built: int = 46_000,
    arguments: int = 0,
    part: float = 1.0,
    source: str = "span",
    step_calls: int = 20_000,
) -> SimpleNamespace:
    """20,000 steps; so many observations."""
    rows = [
        make.row("env.step", 0.3, calls=step_calls),
        make.row("env.reset", 0.0, calls=0),
        make.row("env.observe", 0.4, calls=built, source=source),
    ]
    builder = make.function_cost("Game.observe", 0.4, stages={"env.observe": 0.4 * part})
    look = SourceLook(arguments={builder.key: arguments})
    throughput = make.throughput(episodes=0)
    return make.profile(rows, functions=[builder], source=look, throughput=throughput)


def test_two_of_three_are_thrown_away(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, run(make))
    assert found.where.function == "Game.observe"
    assert found.title.startswith("observe() builds 2.3 for each step")
    assert found.share == pytest.approx(0.4 * (1 - 20 / 46))
    assert found.confidence == "high"


@pytest.mark.parametrize(
    "changes",
    [
        {"built": 21_000},
        {"arguments": 1},
        {"part": 0.5},
        {"source": "sampled"},
        {"built": 20_000, "step_calls": 500},
    ],
    ids=["one for each step", "one for each player", "two builders", "not counted", "many boards in a call"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert make.found(RULE, run(make, **changes)) == []
