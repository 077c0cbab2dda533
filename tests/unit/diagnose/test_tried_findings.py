"""Findings whose remedies were tried: one gain for several of them, and those that lost come last."""

from __future__ import annotations

import dataclasses

import pytest

from goldsplit.analyse.profile import analyse
from goldsplit.diagnose.planning import make_plan
from goldsplit.diagnose.tried_findings import in_order_of_hope, joint_most
from goldsplit.model.finding import Finding, MeasuredGain
from goldsplit.model.profile import Profile, StageRow
from goldsplit.model.recording import Recording
from goldsplit.model.report import Report
from goldsplit.report import finding_text
from goldsplit.report.plan import PlanRenderer


def a_profile() -> Profile:
    return analyse(Recording({}, [], [], [], []))


def a_finding(
    code: str, ceiling: float, measured: MeasuredGain | None = None, pointer: bool = False
) -> Finding:
    share = 1 - 1 / ceiling
    return Finding(
        code, f"title of {code}", None, "env.step", {}, share, ceiling, "high", "do it", "check",
        measured=measured, pointer=pointer,
    )  # fmt: skip


def gain(overlay: str, middle: float, verdict: str, width: float = 0.1) -> MeasuredGain:
    return MeasuredGain(overlay, middle, middle - width, middle + width, 8, verdict)


def test_one_overlay_for_two_findings_has_one_gain() -> None:
    text = gain("compiled-text", 1.7, "keep")
    found = [a_finding("a", 1.76, text), a_finding("b", 1.4), a_finding("c", 1.07, text)]
    first, _, last = in_order_of_hope(a_profile(), found)
    assert first.measured is not None
    assert first.measured.findings == (1, 3)
    assert not first.measured.more_than_predicted
    told = finding_text.gain(first)
    assert "measured 1.70x (1.60x to 1.80x): keep, for findings 1 and 3 together, " in told
    assert finding_text.gain(last) == "1.07x at most, measured together with finding 1: keep"


def test_an_interval_above_the_ceiling_is_called_that() -> None:
    (alone,) = in_order_of_hope(a_profile(), [a_finding("a", 1.3, gain("quiet", 1.9, "keep"))])
    assert "keep; more than predicted: 1.30x at most" in finding_text.gain(alone)
    (within,) = in_order_of_hope(a_profile(), [a_finding("a", 1.85, gain("quiet", 1.9, "keep"))])
    assert "more than" not in finding_text.gain(within)
    report = Report(a_profile(), (alone,))
    assert "1.90x (keep, more than predicted)" in PlanRenderer().render(
        report, make_plan(report.profile, report.findings)
    )


@pytest.mark.parametrize("pointer", [False, True])
def test_a_remedy_that_lost_comes_last_and_is_not_next(pointer: bool) -> None:
    lost = a_finding("a", 1.32, gain("memo:game:reach", 0.9, "drop"))
    ordered = in_order_of_hope(a_profile(), [lost, a_finding("b", 1.2), a_finding("c", 1.1, pointer=pointer)])
    assert [one.code for one in ordered] == (["b", "a", "c"] if pointer else ["b", "c", "a"])
    report = Report(a_profile(), ordered)
    assert finding_text.headline(report).startswith("title of b")
    told = finding_text.gain(next(one for one in ordered if one.code == "a"))
    assert "drop; the tried remedy (memo:game:reach) lost" in told
    only = Report(a_profile(), in_order_of_hope(a_profile(), [lost]))
    assert finding_text.first_fix(only) is None
    assert finding_text.headline(only) == ""


def test_the_plan_does_not_count_it() -> None:
    row = StageRow(
        "env.step", "environment", "span", 9.0, 0.9, 0.9, 0.9, 10, *[None] * 7, ceiling_speedup=10.0,
        waited_share=0.0
    )  # fmt: skip
    profile = dataclasses.replace(a_profile(), stages=[row])
    lost = a_finding("a", 1.5, gain("memo:game:reach", 0.9, "drop"))
    findings = in_order_of_hope(profile, [lost, a_finding("b", 1.25)])
    plan = make_plan(profile, findings)
    assert [(step.finding.code, step.counts) for step in plan.steps] == [("b", True), ("a", False)]
    assert plan.steps[-1].together_speedup == pytest.approx(1.25)
    assert plan.left[0].share_left == pytest.approx(0.7)
    written = PlanRenderer().render(Report(profile, findings), plan)
    assert "the run would be 1.25x as fast" in written


def test_a_remedy_dropped_for_another_reason_than_speed_stays() -> None:
    other = a_finding("a", 1.32, MeasuredGain("quiet", None, None, None, 0, "drop"))
    faster = a_finding("b", 1.3, gain("quiet", 1.25, "drop"))
    assert [one.code for one in in_order_of_hope(a_profile(), [other, faster, a_finding("c", 1.1)])] == list(
        "abc"
    )


def test_a_joint_prediction_is_at_least_the_best_alone() -> None:
    assert joint_most(a_profile(), [a_finding("a", 1.3)]) == 1.3
    assert (joint_most(a_profile(), [a_finding("a", 1.3), a_finding("b", 1.4)]) or 0) >= 1.4
    assert joint_most(a_profile(), [dataclasses.replace(a_finding("a", 1.3), ceiling_speedup=None)]) is None
