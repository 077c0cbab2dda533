"""Steps in order, how much they save together, what remains."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from goldsplit.diagnose.planning import combined_speedup, fractions_left, make_plan, saved_by_function
from goldsplit.model.finding import Place


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


def test_two_findings_about_one_function_count_once(made: ModuleType) -> None:
    profile = made.subprocess_run().profile
    one = made.finding("a", "", "env.step", 0.3)
    same = made.finding("b", "", "env.step", 0.2)
    assert sum(saved_by_function([one, same]).values()) == pytest.approx(0.3)
    assert combined_speedup(profile, [one, same]) == pytest.approx(1 / 0.7)
    other = made.finding("b", "", "env.step", 0.2, where=Place("x.py", 1, "move"))
    assert combined_speedup(profile, [one, other]) == pytest.approx(1 / 0.5)


def test_a_stage_saves_no_more_than_it_takes(made: ModuleType) -> None:
    profile = made.subprocess_run().profile
    findings = [made.finding(f"r{i}", "", "act", 0.15, where=Place("x.py", i, f"f{i}")) for i in range(4)]
    assert fractions_left(profile, findings) == {"act": 0.0}
    assert combined_speedup(profile, findings) == pytest.approx(1 / 0.79)


def test_a_finding_without_a_stage_counts_by_its_share(made: ModuleType) -> None:
    profile = made.subprocess_run().profile
    loose = made.finding("loose", "", None, 0.1, where=None)
    staged = made.finding("staged", "", "act", 0.1)
    assert combined_speedup(profile, [loose]) == pytest.approx(1 / 0.9)
    assert combined_speedup(profile, [loose, staged]) == pytest.approx(1 / 0.8)
    assert combined_speedup(profile, [made.finding("all", "", None, 1.0, where=None)]) is None


def test_what_one_finding_costs_beyond_its_stage_counts_too(made: ModuleType) -> None:
    """A barrier's stage can have less wall time than the waiting for it."""
    profile = made.subprocess_run().profile
    barrier = made.finding("barrier", "", "vec.send", 0.15, where=None)
    assert combined_speedup(profile, [barrier]) == pytest.approx(1 / 0.85)
    both = [barrier, made.finding("act", "", "act", 0.1)]
    assert combined_speedup(profile, both) == pytest.approx(1 / 0.75)
    assert make_plan(profile, both).saved_across_share == pytest.approx(0.15)


def test_together_is_never_less_than_one_alone(made: ModuleType) -> None:
    profile = made.subprocess_run().profile
    better = made.finding("a", "", "act", 0.1, ceiling_speedup=1.6)
    assert combined_speedup(profile, [better]) == pytest.approx(1.6)
    small = made.finding("b", "", "vec.send", 0.02)
    assert combined_speedup(profile, [better, small]) == pytest.approx(1.6)


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
