"""Sentences about what is set apart from speed and trends."""

from __future__ import annotations

import dataclasses

from goldsplit.model.progress import Changed, Drift, Prefill, Stalls, Throughput
from goldsplit.report.over_time_text import changed, set_apart
from goldsplit.report.verdict import drift


def test_what_came_before_learning_and_stalls() -> None:
    flow = dataclasses.replace(
        Throughput.not_measured(), prefill=Prefill(12.0, 1572, 3, 131.0), stalls=Stalls(2, 9.0, 6.5)
    )
    before, stalls = set_apart(flow)
    assert before == "Before the first update: 12.0 s, 1572 env steps at 131/s, left out of this speed."
    assert stalls.startswith("2 stalls (the training stood still, or had no core): ")
    assert "9.00 s for what usually takes 2.50 s" in stalls
    assert set_apart(Throughput.not_measured()) == []


def test_what_was_not_counted_before_learning_is_not_named() -> None:
    flow = dataclasses.replace(Throughput.not_measured(), prefill=Prefill(12.0, None, None, None))
    assert set_apart(flow) == ["Before the first update: 12.0 s, left out of this speed."]


def test_a_change_of_phase_is_said_to_be_one() -> None:
    told = Drift(
        -0.5, [], cost_factor=2.0, changed=Changed(9_000, 12.0, 100.0, 200.0),
        changed_stages=[{"stage": "env.step"}],
    )  # fmt: skip
    text = drift(told).text
    assert text == changed(told)
    assert text.startswith("changed at 9000 env steps (12.0 s): an env step costs 2.00x as much")
    assert "100 us → 200 us" in text
    assert text.endswith("mostly env.step")
    assert "slows down" not in text
    assert changed(Drift(None, [])) == ""
