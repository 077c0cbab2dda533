"""What findings save alone and together: never twice, never more than there is."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.diagnose.conftest import TRAIN, function_cost, profile, row

from goldsplit.analyse.consistency import (
    consistent,
    contradictions,
    finding_contradictions,
    plan_contradictions,
)
from goldsplit.analyse.predict.ceilings import speedup_if, with_ceilings
from goldsplit.diagnose.planning import make_plan
from goldsplit.diagnose.savings import (
    bounded,
    combined_speedup,
    overlap,
    saved_by_stage,
    saved_together,
    share_of_finding,
)
from goldsplit.model.finding import Finding, Place
from goldsplit.model.hot_code.function_cost import FunctionCost
from goldsplit.model.profile import Profile
from goldsplit.model.stage import category_of

STAGES = ("env.step", "env.observe", "act", "learn.backward", "vec.wait")


def finding(
    code: str, stage: str | None, share: float, function: str | None = None, **changes: object
) -> Finding:
    made: dict[str, object] = {
        "code": code,
        "title": code,
        "where": None if function is None else Place(TRAIN, 12, function),
        "stage": stage,
        "evidence": {"calls": 1},
        "share": share,
        "ceiling_speedup": 1 / (1 - share) if share < 1 else None,
        "confidence": "high",
        "remedy": "fix it",
        "verify": "goldsplit record -- python train.py",
    }
    return Finding(**(made | changes))  # type: ignore[arg-type]


@pytest.fixture
def run() -> Profile:
    shares = {"env.step": 0.5, "env.observe": 0.1, "act": 0.2, "vec.send": 0.05}
    return profile(shares)


def test_a_finding_saves_in_its_stage(run: Profile) -> None:
    assert saved_by_stage(run, finding("a", "env.step", 0.3)) == {"env.step": pytest.approx(0.3)}


def test_what_a_stage_has_no_room_for_comes_from_its_category(run: Profile) -> None:
    saved = saved_by_stage(run, finding("a", "env.observe", 0.3))
    assert saved == {"env.observe": pytest.approx(0.1), "env.step": pytest.approx(0.2)}


def test_what_has_no_stage_is_taken_from_all_evenly(run: Profile) -> None:
    saved = saved_by_stage(run, finding("a", None, 0.1))
    assert saved["env.step"] == pytest.approx(0.05)
    assert saved[""] == pytest.approx(0.015)
    assert sum(saved.values()) == pytest.approx(0.1)


def test_what_a_rule_says_about_stages_counts(run: Profile) -> None:
    across = finding("a", "act", 0.2, saves={"act": 0.1, "env.step": 0.1})
    assert saved_by_stage(run, across) == {"act": pytest.approx(0.1), "env.step": pytest.approx(0.1)}


def test_imports_before_the_loop_save_nothing_of_the_loop(run: Profile) -> None:
    assert saved_by_stage(run, finding("a", "startup", 0.3)) == {}


def test_two_findings_about_one_function_count_once(run: Profile) -> None:
    pair = [finding("a", "env.step", 0.3, "reach"), finding("b", "env.step", 0.2, "reach")]
    assert combined_speedup(run, pair) == pytest.approx(1 / 0.7)
    other = finding("b", "env.step", 0.2, "move")
    assert combined_speedup(run, [pair[0], other]) == pytest.approx(1 / 0.5)


def test_a_function_inside_another_findings_function_counts_once(make: SimpleNamespace) -> None:
    outer = make.function_cost("turn", 0.4)
    inner = make.function_cost("reach", 0.3, within={outer.key: 0.2})
    run = make.profile({"env.step": 0.6, "act": 0.4}, functions=[outer, inner])
    whole, part = finding("a", "env.step", 0.4, "turn"), finding("b", "env.step", 0.3, "reach")
    assert overlap(run, whole, part) == pytest.approx(0.2)  # of reach, what is not inside turn is left
    assert saved_together(run, [whole, part]) == {"env.step": pytest.approx(0.5)}
    half = finding("a", "env.step", 0.2, "turn")  # fixing it saves half of turn, so half of reach in it
    assert saved_together(run, [half, part]) == {"env.step": pytest.approx(0.4)}
    assert saved_together(run, [part, half]) == {"env.step": pytest.approx(0.4)}


def test_a_stage_saves_no_more_than_it_takes(run: Profile) -> None:
    many = [finding(f"r{i}", "act", 0.15, f"f{i}") for i in range(4)]
    assert combined_speedup(run, many) == pytest.approx(1 / 0.8)


def test_together_is_never_less_than_one_alone(run: Profile) -> None:
    better = finding("a", "act", 0.1, ceiling_speedup=1.2)
    assert combined_speedup(run, [better]) == pytest.approx(1.2)
    assert combined_speedup(run, [better, finding("b", "vec.send", 0.02)]) == pytest.approx(1.2)


def test_a_ceiling_is_not_above_its_category_at_no_cost(run: Profile) -> None:
    """1.83x together, where the whole environment at no cost gives 2.5x."""
    wild = bounded(run, finding("a", "env.step", 0.3, ceiling_speedup=9.0))
    assert wild.ceiling_speedup == pytest.approx(1 / 0.4)
    assert bounded(run, finding("a", "env.step", 0.3)).ceiling_speedup == pytest.approx(1 / 0.7)


def test_a_sampled_share_has_an_interval(make: SimpleNamespace) -> None:
    run = make.profile([make.row("env.step", 0.5, wall_share_low=0.4, wall_share_high=0.6)])
    got = bounded(run, finding("a", "env.step", 0.25))
    assert (got.share_low, got.share_high) == (pytest.approx(0.2), pytest.approx(0.3))
    assert got.ceiling_low == pytest.approx(1 / 0.8)
    assert got.ceiling_high == pytest.approx(1 / 0.7)
    exact = bounded(make.profile({"env.step": 0.5}), finding("a", "env.step", 0.25))
    assert (exact.ceiling_low, exact.ceiling_high) == (None, None)


def test_together_is_at_most_what_is_printed_of_each(make: SimpleNamespace) -> None:
    """A plan of one step said 1.32x at most, and 1.27x at most together."""
    run = make.profile({"env.step": 0.5, "act": 0.5})
    first = bounded(run, finding("a", "env.step", 0.21, share_low=0.19, share_high=0.24))
    second = bounded(run, finding("b", "act", 0.10, share_low=0.05, share_high=0.15))
    steps = make_plan(run, [first, second]).steps
    assert steps[0].together_speedup == steps[0].finding.most_speedup == pytest.approx(1 / 0.76)
    assert steps[1].together_speedup == pytest.approx(1 / 0.61), "both at the upper ends"


@st.composite
def runs(draw: st.DrawFn) -> tuple[Profile, list[Finding]]:
    """A profile with nested functions, and findings about some of them, exact or careless."""
    weights = draw(st.lists(st.floats(0.01, 1.0), min_size=len(STAGES), max_size=len(STAGES)))
    whole = sum(weights) * draw(st.floats(1.0, 1.4))
    rows = [row(stage, weight / whole) for stage, weight in zip(STAGES, weights, strict=True)]
    functions: list[FunctionCost] = []
    for number in range(draw(st.integers(0, 5))):
        home = draw(st.sampled_from(rows))
        share = home.wall_share * draw(st.floats(0.05, 1.0))
        around = draw(st.sampled_from(functions)) if functions and draw(st.booleans()) else None
        both = min(share, around.share) * draw(st.floats(0.0, 1.0)) if around is not None else 0.0
        within = {around.key: both} if around is not None else {}
        functions.append(function_cost(f"f{number}", share, stages={home.stage: share}, within=within))
    found = []
    for number in range(draw(st.integers(1, 6))):
        about = draw(st.sampled_from(functions)) if functions and draw(st.booleans()) else None
        stage = next(iter(about.stages)) if about is not None else draw(st.sampled_from((*STAGES, None)))
        share = about.share * draw(st.floats(0.1, 1.0)) if about is not None else draw(st.floats(0.01, 0.9))
        name = about.place.function if about is not None else None
        found.append(finding(f"r{number}", stage, share, name))
    return profile(rows, functions=functions), found


@given(runs())
def test_together_never_more_than_the_categories_at_no_cost(made: tuple[Profile, list[Finding]]) -> None:
    run, raw = made
    found = [bounded(run, one) for one in raw]
    together = combined_speedup(run, found)
    touched = {category_of(stage) for one in found for stage in one.saves if stage}
    if any("" in one.saves for one in found):
        return
    most = speedup_if(run, {row.stage: 0.0 for row in run.stages if row.category in touched})
    if most is not None:
        assert together is not None
        assert together <= most * 1.0001


@given(runs())
def test_together_never_less_than_one_alone_nor_more_than_the_sum(
    made: tuple[Profile, list[Finding]],
) -> None:
    run, raw = made
    found = [bounded(run, one) for one in raw]
    saved = sum(saved_together(run, found).values())
    alone = [sum(saved_by_stage(run, one).values()) for one in found]
    assert saved <= sum(alone) + 1e-9
    assert saved <= 1.0 + 1e-9
    assert saved >= max(alone) - 1e-9


@given(runs())
def test_the_plan_agrees_with_its_stage_table(made: tuple[Profile, list[Finding]]) -> None:
    run, raw = made
    plan = make_plan(run, [bounded(run, one) for one in raw])
    if not plan.left:
        return
    left = sum(one.share_left for one in plan.left) + plan.unattributed_left_share
    assert all(one.share_left <= one.share + 1e-9 for one in plan.left)
    if plan.steps:  # something is saved: the table shows where
        assert left < 1.0 - 1e-6
        shown = plan.steps[-1].together_speedup
        assert shown is None or shown == pytest.approx(1.0 / left, rel=0.01) or shown <= 1.0 / left * 1.01
        assert any(one.share_left < one.share - 1e-9 for one in plan.left) or (
            plan.unattributed_left_share < run.unattributed.wall_share
        )


@given(runs())
def test_an_interval_lies_around_its_ceiling(made: tuple[Profile, list[Finding]]) -> None:
    run, raw = made
    for one in [bounded(run, one) for one in raw]:
        assert share_of_finding(one) >= 0.0
        if one.ceiling_low is not None and one.ceiling_speedup is not None:
            assert one.ceiling_low <= one.ceiling_speedup <= (one.ceiling_high or 0.0)


@given(runs(), st.lists(st.floats(0.0, 0.2), min_size=len(STAGES), max_size=len(STAGES)), st.floats(1.0, 1.6))
def test_no_report_says_two_things_that_cannot_both_be_true(
    made: tuple[Profile, list[Finding]], widths: list[float], factor: float
) -> None:
    """Findings against their categories, steps against their sum, stages against categories."""
    run, raw = made
    wide = [
        dataclasses.replace(
            one, wall_share_low=max(0.0, one.wall_share - by), wall_share_high=min(1.0, one.wall_share + by)
        )
        for one, by in zip(run.stages, widths, strict=True)
    ]
    run = consistent(with_ceilings(dataclasses.replace(run, stages=wide)))
    assert contradictions(run) == []
    assert run.withdrawn == [], "nothing has to be withdrawn: one rule for all"
    sampled = [
        dataclasses.replace(
            one, share_low=0.9 * (one.share or 0.0), share_high=min(1.0, factor * (one.share or 0.0))
        )
        if number % 2
        else one
        for number, one in enumerate(raw)
    ]
    found = [bounded(run, one) for one in sampled]
    assert finding_contradictions(run, found) == []
    plan = make_plan(run, found)
    for number, step in enumerate(plan.steps):
        if step.together_speedup is not None:
            alone = [one.finding.most_speedup or 1.0 for one in plan.steps[: number + 1]]
            assert step.together_speedup >= max(alone) - 1e-9
    assert plan_contradictions(plan) == []
