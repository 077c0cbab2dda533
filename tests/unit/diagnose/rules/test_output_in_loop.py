from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.output_in_loop import RULE


def test_a_line_per_step(make: SimpleNamespace) -> None:
    facts = [
        make.fact("output", "print", 19_000, place=make.place(28, "main")),
        make.fact("output", "logging", 17, place=make.place(9, "setup")),
    ]
    (finding,) = make.found(RULE, make.profile({"log": 0.2, "env.step": 0.7}, facts=facts))
    assert finding.where == make.place(28, "main")
    assert finding.evidence["by"] == "print"
    assert finding.evidence["calls_per_env_step"] == 1.0
    assert finding.ceiling_speedup == pytest.approx(1.25)


def test_a_line_now_and_then_is_fine(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile([make.row("log", 0.1, calls=50)])) == []


def test_cheap_output_is_fine(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile([make.row("log", 0.015)])) == []


def test_sampled_output_without_counts_is_no_finding(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile([make.row("log", 0.2, calls=None, mean_us=None)])) == []
