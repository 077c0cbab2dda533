"""Extrapolation against runs whose true length is known by construction."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.counts.trend_windows import prefill
from goldsplit.analyse.predict.horizon import horizon
from goldsplit.errors import QuestionError
from goldsplit.model.horizon import Horizon
from goldsplit.model.profile import Phases, Profile, RunInfo, SystemFigures, Trust, Unattributed
from goldsplit.model.progress import Drift, Throughput, Window

Growth = Callable[[float], float]


def profile(
    cost_us: Growth, episode_steps: Growth | None, number: int = 20, noise: float = 0.03, seed: int = 1
) -> Profile:
    """A run of 1000-step windows; start-up took 4 s. One stage carries what grows."""
    chance = random.Random(seed)
    made: list[Window] = []
    done, episodes, at = 0, 0.0, 0.0
    for _ in range(number):
        middle = done + 500
        seconds = 1000 * cost_us(middle) / 1e6 * chance.lognormvariate(0.0, noise)
        ended = None if episode_steps is None else 1000 / episode_steps(middle)
        made.append(
            Window(
                at, seconds, 1000, 1000 / seconds, None if ended is None else round(ended), 250,
                {"replay.sample": 1 - 100 * 1000 / 1e6 / seconds, "act": 0.1 / seconds},
                env_steps_before=done,
            )
        )  # fmt: skip
        done, episodes, at = done + 1000, episodes + (ended or 0), at + seconds
    whole = None if episode_steps is None else sum(w.episodes or 0 for w in made)
    flow = Throughput(done, done / at, None, whole, None, done // 4, None, 0.25, None, {}, {}, made)
    return Profile(
        run=RunInfo("r", "", [], 0, "complete", 0.0, at + 4.0, "", "", {}, None, None, {}),
        phases=Phases(4.0, at, 0.0),
        throughput=flow,
        stages=[],
        unattributed=Unattributed(0.0, 0.0),
        lanes=[],
        hotspots=[],
        drift=Drift(None, []),
        system=SystemFigures(None, 2, None, []),
        trust=Trust(1.0, None, None, None, 0, 0, 0, None, None),
    )


def truth(cost_us: Growth, steps: int) -> float:
    return 4.0 + sum(1000 * cost_us(n + 500) / 1e6 for n in range(0, steps, 1000))


def holds(answer: Horizon, seconds: float) -> bool:
    return answer.low_seconds <= seconds <= answer.high_seconds


def test_a_steady_run_is_proportional() -> None:
    answer = horizon(profile(lambda n: 300.0, lambda n: 50.0), "env_steps", 60_000)
    assert answer.cost_us.model == "constant"
    assert answer.wall_seconds == pytest.approx(truth(lambda n: 300.0, 60_000), rel=0.05)
    assert abs(answer.naive_error) < 0.05
    assert answer.factor == pytest.approx(3.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_cost_that_grows_with_steps(seed: int) -> None:
    def cost(n: float) -> float:
        return 200 + 0.02 * n

    answer = horizon(profile(cost, None, seed=seed), "env_steps", 60_000)
    seconds = truth(cost, 60_000)
    assert answer.cost_us.model == "linear"
    assert answer.cost_us.stage == "replay.sample"
    assert answer.wall_seconds == pytest.approx(seconds, rel=0.12)
    assert holds(answer, seconds)
    assert answer.naive_error < -0.25, "proportion promises too little"


def test_a_buffer_that_is_full_costs_no_more() -> None:
    def cost(n: float) -> float:
        return 200 + 0.05 * min(n, 10_000)

    answer = horizon(profile(cost, None, number=30, noise=0.01), "env_steps", 90_000)
    assert answer.cost_us.model == "saturating"
    assert answer.cost_us.full_at_env_steps == pytest.approx(10_000, abs=3_000)
    assert answer.wall_seconds == pytest.approx(truth(cost, 90_000), rel=0.05)


def test_episodes_that_lengthen_and_level_off() -> None:
    def length(n: float) -> float:
        return 10 + 0.01 * min(n, 9_000)

    recorded = profile(lambda n: 300.0, length, number=30, noise=0.01)
    episodes = recorded.throughput.episodes or 0
    answer = horizon(recorded, "episodes", 3 * episodes)
    assert answer.episode_steps is not None
    assert answer.episode_steps.last == pytest.approx(100.0, rel=0.1)
    steps = 30_000 + 2 * episodes * 100
    assert answer.env_steps == pytest.approx(steps, rel=0.1)
    assert answer.wall_seconds == pytest.approx(truth(lambda n: 300.0, steps), rel=0.1)
    assert answer.naive_error < -0.15


def test_updates_go_by_their_ratio() -> None:
    answer = horizon(profile(lambda n: 300.0, None), "updates", 10_000)
    assert answer.env_steps == pytest.approx(40_000)


def test_a_shorter_horizon_is_what_was_recorded() -> None:
    def cost(n: float) -> float:
        return 200 + 0.02 * n

    answer = horizon(profile(cost, None, noise=0.0), "env_steps", 10_000)
    assert answer.wall_seconds == pytest.approx(truth(cost, 10_000), rel=1e-3)
    assert answer.naive_error > 0.1, "the beginning was cheaper than the average"


def test_far_out_the_interval_covers_growth_that_stops_and_growth_that_does_not() -> None:
    def cost(n: float) -> float:
        return 200 + 0.01 * n

    recorded = profile(cost, None)
    near, far = (horizon(recorded, "env_steps", steps) for steps in (28_000, 60_000))
    assert far.low_seconds < truth(lambda n: min(cost(n), cost(22_000)), 60_000) < far.high_seconds
    assert holds(far, truth(cost, 60_000))
    assert far.high_seconds / far.low_seconds > 1.2 * near.high_seconds / near.low_seconds
    assert "growth that becomes faster" in far.warnings[0]
    assert near.warnings == []


def test_a_guess_without_growth_is_called_one() -> None:
    far = horizon(profile(lambda n: 300.0, None), "env_steps", 1_000_000)
    assert "a guess, not a prediction" in far.warnings[0]
    assert "50 times" in far.warnings[0]
    assert holds(far, truth(lambda n: 300.0, 1_000_000))


def test_an_interval_too_wide_to_plan_with_is_no_answer() -> None:
    recorded = profile(lambda n: 200 + 0.03 * n, None)
    with pytest.raises(
        QuestionError, match=r"1,000,000 env steps.*within a factor of 3.*replay.sample grew"
    ) as error:
        horizon(recorded, "env_steps", 1_000_000)
    hint = error.value.hint or ""
    assert "min of training" in hint
    most = float(hint.split("at most ")[1].split()[0].replace(",", ""))
    assert 20_000 < most < 1_000_000
    answered = horizon(recorded, "env_steps", 0.99 * most)
    assert answered.high_seconds <= 3 * answered.low_seconds


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("times", [1.5, 10.0, 300.0])
def test_noise_is_not_extrapolated(seed: int, times: float) -> None:
    """A flat run with 30 % noise goes on at its mean speed, whatever the last windows were like."""
    recorded = profile(lambda n: 300.0, None, number=40, noise=0.3, seed=seed)
    answer = horizon(recorded, "env_steps", 40_000 * times)
    speed = recorded.throughput.env_steps_per_second or 0.0
    assert answer.wall_seconds == pytest.approx(4.0 + 40_000 * times / speed, rel=0.02)
    assert answer.high_seconds <= 3 * answer.low_seconds
    assert answer.low_seconds >= answer.recorded_seconds


def test_a_run_that_changed_goes_on_as_it_became() -> None:
    recorded = profile(lambda n: 200.0 if n < 10_000 else 600.0, None)
    answer = horizon(recorded, "env_steps", 40_000)
    assert answer.wall_seconds == pytest.approx(4.0 + 10 * 0.2 + 30 * 0.6, rel=0.05)
    assert answer.cost_us.model == "constant"
    assert any("changed at 10,000 env steps" in text for text in answer.warnings)


def test_a_prefill_counts_once() -> None:
    """Ten quick windows of random steps before learning say nothing about the rest."""
    recorded = profile(lambda n: 20.0 if n < 10_000 else 300.0, None, number=30, noise=0.02)
    flow = recorded.throughput
    made = [dataclasses.replace(w, updates=0 if i < 9 else 250) for i, w in enumerate(flow.windows)]
    flow = dataclasses.replace(flow, windows=made, prefill=prefill(made))
    answer = horizon(dataclasses.replace(recorded, throughput=flow), "env_steps", 100_000)
    assert flow.prefill is not None
    assert flow.prefill.env_steps == 10_000
    assert answer.wall_seconds == pytest.approx(4.0 + 10 * 0.02 + 90 * 0.3, rel=0.03)
    assert abs(answer.naive_error) < 0.03


def test_what_cannot_be_extrapolated_is_refused() -> None:
    with pytest.raises(QuestionError, match="episodes were not counted"):
        horizon(profile(lambda n: 300.0, None), "episodes", 100)
    with pytest.raises(QuestionError, match="too short"):
        horizon(profile(lambda n: 300.0, None, number=3), "env_steps", 100)
    nothing: Any = dataclasses.replace(profile(lambda n: 300.0, None), throughput=Throughput.not_measured())
    with pytest.raises(QuestionError, match="env steps were not counted"):
        horizon(nothing, "env_steps", 100)


def test_the_answer_is_plain_data() -> None:
    data = horizon(profile(lambda n: 300.0, lambda n: 50.0), "episodes", 1000).to_json()
    assert (data["format"], data["version"]) == ("goldsplit-horizon", 1)
    assert set(data["cost_us"]) == {"model", "first", "last", "at_horizon", "full_at_env_steps", "stage"}
