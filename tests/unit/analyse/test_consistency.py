"""No two claims of a report that cannot both be true, whatever the run was like."""

from __future__ import annotations

import dataclasses
import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsplit.analyse.consistency import (
    consistent,
    contradictions,
    finding_contradictions,
    plan_contradictions,
)
from goldsplit.analyse.predict.drift import drift
from goldsplit.analyse.predict.horizon import horizon
from goldsplit.errors import QuestionError
from goldsplit.model.finding import Finding
from goldsplit.model.plan import Plan, PlanStep
from goldsplit.model.profile import (
    CategoryRow,
    Hotspot,
    Phases,
    Profile,
    RunInfo,
    StageRow,
    SystemFigures,
    Trust,
    Unattributed,
)
from goldsplit.model.progress import Changed, Drift, Throughput, Window

GROWN = {"stage": "env.step", "us_per_env_step_first": 100.0, "us_per_env_step_last": 230.0, "factor": 2.3}


def row(stage: str, share: float, ceiling: float | None, high: float | None = None) -> StageRow:
    return StageRow(
        stage, "environment", "spans", 10 * share, share, share, high or share, 1, 1.0, 1.0, 1.0, 1.0, 1.0,
        1.0, 1.0, ceiling, 0.0,
    )  # fmt: skip


def profile(**changes: Any) -> Profile:
    made = Profile(
        run=RunInfo("r", "", [], 0, "complete", 0.0, 14.0, "", "", {}, None, None, {}),
        phases=Phases(4.0, 10.0, 0.0),
        throughput=Throughput.not_measured(),
        stages=[],
        unattributed=Unattributed(0.0, 0.0),
        lanes=[],
        hotspots=[],
        drift=Drift(None, []),
        system=SystemFigures(None, 2, None, []),
        trust=Trust(1.0, None, None, None, 0, 0, 0, None, None),
    )
    return dataclasses.replace(made, **changes)


def test_more_steps_a_second_and_costlier_steps() -> None:
    found = profile(drift=Drift(0.09, [GROWN], 100.0, 230.0, 2.3, slows_down=True, model="linear"))
    assert contradictions(found) == ["9 % more env steps/s, but env.step costs more"]
    checked = consistent(found)
    assert (checked.drift.slows_down, checked.drift.growing_stages) == (False, [])
    assert checked.drift.throughput_change == 0.09, "this was measured"
    assert checked.withdrawn == ["9 % more env steps/s, but env.step costs more"]
    assert contradictions(checked) == []


def test_ceilings_stay_within_shares() -> None:
    spot = Hotspot("f", "a.py", 1, "env.step", 0.2, 0.2, 9, None, "yours", ceiling_speedup=2.0)
    found = profile(stages=[row("env.step", 0.3, 3.0, 0.4), row("act", 0.7, 3.3)], hotspots=[spot])
    checked = consistent(found)
    assert len(contradictions(found)) == 1
    assert [one.ceiling_speedup for one in checked.stages] == pytest.approx([1 / 0.6, 3.3])
    assert checked.hotspots[0].ceiling_speedup == pytest.approx(1 / 0.6), "no more than its stage"


def test_what_fits_is_left_alone() -> None:
    found = profile(
        drift=Drift(-0.4, [GROWN], 200.0, 330.0, 1.65, slows_down=True, model="linear"),
        stages=[row("env.step", 0.5, 2.0)],
    )
    assert contradictions(found) == []
    assert consistent(found) == found


def plan(*steps: tuple[float | None, float | None]) -> Plan:
    def finding(ceiling: float | None) -> Finding:
        return Finding("x", "", None, None, {}, None, ceiling, "high", "", "")

    return Plan([PlanStep(finding(alone), together) for alone, together in steps])


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ([(1.38, 1.38), (1.11, 1.83)], "in sum 1.60x"),
        ([(1.38, 1.38), (1.5, 1.4)], "one of them alone 1.50x"),
        ([(1.38, 1.38), (1.11, 1.59)], ""),
        ([(4.0, 4.0), (4.0, None)], ""),
        ([(None, 2.0), (1.5, 3.0)], ""),
    ],
)
def test_together_is_between_one_of_them_and_their_sum(
    steps: list[tuple[float | None, float | None]], wrong: str
) -> None:
    found = plan_contradictions(plan(*steps))
    assert bool(found) == bool(wrong)
    assert wrong in "".join(found)


def test_a_finding_is_not_above_its_category() -> None:
    """Messages at no cost gave 5.03x, a finding about messages 5.34x."""
    made = profile(
        categories=[
            CategoryRow("communication", 0.8, 0.79, 0.81, 5.03),
            CategoryRow("agent", 0.1, 0.1, 0.1, 1.1),
        ]
    )
    messages = Finding(
        "m", "", None, "vec.wait", {}, 0.7, 3.3, "high", "", "", saves={"vec.wait": 0.7}, ceiling_high=5.34
    )
    assert finding_contradictions(made, [messages]) == ["m 5.34x, but all of communication 5.03x"]
    both = dataclasses.replace(messages, saves={"vec.wait": 0.6, "act": 0.1})
    assert finding_contradictions(made, [both, dataclasses.replace(messages, ceiling_high=5.0)]) == []


def test_a_stage_is_not_above_its_category() -> None:
    made = profile(
        stages=[row("env.step", 0.5, 2.0)], categories=[CategoryRow("environment", 0.5, 0.5, 0.5, 1.5)]
    )
    assert len(contradictions(made)) == 1
    assert consistent(made).stages[0].ceiling_speedup == 1.5


numbers = st.floats(0.01, 100.0)
growths = st.one_of(st.just([]), st.just([GROWN]))
changes = st.one_of(st.none(), st.builds(Changed, numbers, numbers, numbers, numbers))


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Any figures at all: nothing that an analysis would give."""
    shares = draw(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6))
    total = sum(shares) + draw(st.floats(0.01, 1.0))
    rows = [
        row(f"game.s{i}", share / total, draw(st.one_of(st.none(), numbers)), draw(st.floats(0.0, 1.0)))
        for i, share in enumerate(shares)
    ]
    spots = [
        Hotspot("f", "a.py", i, rows[i].stage, 0.1, 0.1, 9, None, "yours", draw(numbers))
        for i in range(len(rows))
    ]
    change = draw(st.one_of(st.none(), st.floats(-0.99, 5.0)))
    ends = draw(numbers), draw(numbers)
    found = Drift(
        change, draw(growths), *ends, ends[1] / ends[0], draw(st.booleans()), "linear",
        changed=draw(changes),
    )  # fmt: skip
    flow = dataclasses.replace(Throughput.not_measured(), env_steps_per_second=1e6 * draw(numbers))
    return profile(stages=rows, hotspots=spots, drift=found, throughput=flow)


@settings(derandomize=True, max_examples=300)
@given(profiles())
def test_no_profile_contradicts_itself_once_it_was_checked(any_profile: Profile) -> None:
    checked = consistent(any_profile)
    assert contradictions(checked) == []
    assert bool(checked.withdrawn) == bool(contradictions(any_profile))
    assert checked.withdrawn or checked == any_profile, "what fits is left alone"


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    number=st.integers(4, 60),
    noise=st.floats(0.0, 0.4),
    growth=st.floats(-0.5, 2.0),
    jump=st.floats(0.5, 3.0),
    prefill=st.integers(0, 5),
    times=st.floats(0.3, 60.0),
)
def test_drift_speed_and_horizon_agree_on_any_run(
    seed: int, number: int, noise: float, growth: float, jump: float, prefill: int, times: float
) -> None:
    chance = random.Random(seed)
    windows, at = [], 0.0
    for i in range(number):
        game = 300.0 * (1.0 + growth * i / number) * (jump if i > number / 2 else 1.0)
        us = {"env.step": game if i >= prefill else 20.0, "act": 100.0}
        seconds = sum(us.values()) / 1e3 * chance.lognormvariate(0.0, noise)
        shares = {stage: value / sum(us.values()) for stage, value in us.items()}
        updates = 250 if i >= max(0, prefill - 1) else 0
        windows.append(
            Window(at, seconds, 1000, 1000 / seconds, 20, updates, shares, env_steps_before=1000 * i,
                   cpu_seconds=0.8 * seconds)
        )  # fmt: skip
        at += seconds
    flow = Throughput(1000 * number, 1000 * number / at, None, 20 * number, None, 250 * number, None, 0.25,
                      None, {}, {}, windows)  # fmt: skip
    made = consistent(profile(throughput=flow, drift=drift(windows), phases=Phases(4.0, at, 0.0)))
    assert contradictions(made) == []
    try:
        answer = horizon(made, "env_steps", 1000 * number * times)
    except QuestionError:
        return
    assert 0 < answer.low_seconds <= answer.wall_seconds <= answer.high_seconds <= 3 * answer.low_seconds
    if times >= 1:
        assert answer.low_seconds >= answer.recorded_seconds * 0.999, "what was recorded is certain"
    grows = made.drift.slows_down or made.drift.growing_stages
    assert grows or answer.cost_us.model == "constant", "no growth in one place that the other denies"
    assert math.isfinite(answer.high_seconds)
