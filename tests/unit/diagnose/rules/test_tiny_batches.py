from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.tiny_batches import RULE
from goldsplit.model.profile import Profile


def run(make: SimpleNamespace, rows: float, looks: int = 30, **forward: Any) -> Profile:
    """A run that learns for half of its time, from batches of so many rows."""
    stages = [
        make.row("learn.forward", 0.2, **{"mean_us": 150.0, **forward}),
        make.row("learn.backward", 0.3),
        make.row("env.step", 0.4),
    ]
    seen = make.fact("forward_rows", count=looks, amount=rows * looks, place=make.place(60, "update"))
    return make.profile(stages, facts=[seen])


def test_four_rows_per_update(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, run(make, rows=4))
    assert finding.where.function == "update"
    assert finding.evidence["rows_per_forward"] == 4.0
    assert finding.share == pytest.approx(0.5 * (1 - 4 / 64))


def test_silent_on_usual_batches(make: SimpleNamespace) -> None:
    assert make.found(RULE, run(make, rows=64)) == []


def test_silent_where_the_network_itself_costs(make: SimpleNamespace) -> None:
    assert make.found(RULE, run(make, rows=4, mean_us=9_000.0)) == []


def test_silent_after_too_few_looks(make: SimpleNamespace) -> None:
    assert make.found(RULE, run(make, rows=4, looks=2)) == []


def test_silent_where_nobody_counted_rows(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile({"learn.forward": 0.5})) == []
