"""Steps in order, how much they save together, what remains."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from goldsplit.diagnose.planning import make_plan


@pytest.fixture(scope="module")
def made() -> ModuleType:
    """The hand-written runs of the renderers' tests."""
    path = Path(__file__).parents[1] / "report" / "conftest.py"
    spec = importlib.util.spec_from_file_location("made_reports", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_steps_accumulate_in_the_order_of_the_findings(made: ModuleType) -> None:
    report = made.deep_run()
    plan = make_plan(report.profile, report.findings)
    assert [step.finding.code for step in plan.steps] == [
        "constant-result", "repeated-calls", "fat-info", "machine-busy",
    ]  # fmt: skip
    gains = [step.together_speedup for step in plan.steps]
    assert gains == sorted(gains)
    assert gains[0] == pytest.approx(1 / 0.69)
    assert [finding.code for finding in plan.not_worth] == ["printing"]


def test_what_remains_sums_to_one(made: ModuleType) -> None:
    report = made.deep_run()
    plan = make_plan(report.profile, report.findings)
    assert sum(row.share_after for row in plan.left) + plan.left_unattributed_share == pytest.approx(1.0)
    after = {row.stage: row.share_after for row in plan.left}
    left = sum(row.share_left for row in plan.left) + plan.unattributed_left_share
    assert left == pytest.approx(1.0 / plan.steps[-1].together_speedup)
    assert after["env.step"] < 0.62
    assert after["act"] > 0.21


def test_whose_code_a_stage_is(made: ModuleType) -> None:
    report = made.deep_run()
    plan = make_plan(report.profile, report.findings)
    answers = {answer.stage: answer for answer in plan.answers}
    assert answers["env.step"].answer == "yes"
    assert answers["env.step"].steps == [1, 2]
    assert answers["act"].answer == "no"
    assert answers["learn.backward"].answer == "unknown"
    assert answers["log"].answer == "small"
    assert plan.share_by_kind == {"yours": pytest.approx(0.31), "library": pytest.approx(0.07)}
    assert [spot.function for spot in plan.candidates] == ["has_line_of_sight"]


def test_an_empty_run_has_an_empty_plan(made: ModuleType) -> None:
    report = made.nothing_recorded()
    plan = make_plan(report.profile, report.findings)
    assert (plan.steps, plan.left, plan.answers, plan.share_by_kind) == ([], [], [], {})
