from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.tiny_batches import RULE
from goldsplit.model.profile import Profile


def run(make: SimpleNamespace, rows: float, samples: int = 30, **forward: Any) -> Profile:
    """A run that learns for half of its time, from batches of `rows` rows."""
    stages = [
        make.row("learn.forward", 0.2, **{"mean_us": 150.0, **forward}),
        make.row("learn.backward", 0.3),
        make.row("env.step", 0.4),
    ]
    seen = make.fact("forward_rows", count=samples, amount=rows * samples, place=make.place(60, "update"))
    return make.profile(stages, facts=[seen])


def test_four_rows_per_update(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, run(make, rows=4))
    assert finding.where.function == "update"
    assert finding.evidence["rows_per_forward"] == 4.0
    assert finding.share == pytest.approx(0.5 * (1 - 4 / 64))


def test_no_finding_on_usual_batches(make: SimpleNamespace) -> None:
    assert make.found(RULE, run(make, rows=64)) == []


def test_no_finding_if_the_network_itself_is_expensive(make: SimpleNamespace) -> None:
    assert make.found(RULE, run(make, rows=4, mean_us=9_000.0)) == []


def test_no_finding_after_too_few_samples(make: SimpleNamespace) -> None:
    assert make.found(RULE, run(make, rows=4, samples=2)) == []


def test_no_finding_without_counted_rows(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile({"learn.forward": 0.5})) == []


def test_many_forwards_per_update_are_a_sequence_fed_row_by_row(make: SimpleNamespace) -> None:
    """170 forward passes of one row, one update: the update is not tiny, its rows go one by one."""
    (finding,) = make.found(RULE, run(make, rows=1, calls=170 * 5_000))
    assert finding.evidence["forward_passes_per_update"] == pytest.approx(170.0)
    assert "one forward pass per update" in finding.remedy
    assert finding.saves.keys() == {"learn.forward"}
    assert finding.share == pytest.approx(0.2 * (1 - 1 / 170))
