"""Evaluations and saving that take a large part of the training."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.frequent_evaluation import RULE


@pytest.mark.parametrize(
    ("stage", "overlay", "title"),
    [
        ("eval", "no-eval", "evaluation takes 30 % of the time, in 12 calls"),
        ("checkpoint", "no-checkpoint", "saving takes 30 % of the time, in 12 calls"),
    ],
)
def test_the_fault_is_found(make: SimpleNamespace, stage: str, overlay: str, title: str) -> None:
    rows = [make.row("env.step", 0.7), make.row(stage, 0.3, calls=12)]
    (finding,) = make.found(RULE, make.profile(rows))
    assert (finding.title, finding.stage, finding.overlays) == (title, stage, (overlay,))
    assert finding.share == pytest.approx(0.3)
    assert finding.ceiling_speedup == pytest.approx(1 / 0.7)


def test_each_of_the_two_is_a_finding_of_its_own(make: SimpleNamespace) -> None:
    rows = [make.row("env.step", 0.6), make.row("eval", 0.1, calls=3), make.row("checkpoint", 0.3, calls=3)]
    assert {one.stage for one in RULE.check(make.profile(rows))} == {"eval", "checkpoint"}


@pytest.mark.parametrize(
    ("share", "calls"), [(0.04, 100), (0.5, 1), (0.5, None)], ids=["cheap", "one only", "not counted"]
)
def test_no_finding(make: SimpleNamespace, share: float, calls: int | None) -> None:
    rows = [make.row("env.step", 1 - share), make.row("eval", share, calls=calls)]
    assert make.found(RULE, make.profile(rows)) == []
