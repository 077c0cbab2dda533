"""Questions to a run: predictions, assumptions, refusals."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from goldsplit.analyse.predict.whatif import describe, what_if
from goldsplit.errors import QuestionError
from goldsplit.model.profile import Phases, Profile, RunInfo, StageRow, SystemFigures, Trust, Unattributed
from goldsplit.model.progress import Drift, Throughput
from goldsplit.model.structure import Structure, Turn, Worker, WorkerTurn
from goldsplit.model.whatif import Scenario


def row(stage: str, share: float, spread: float = 0.0) -> StageRow:
    cells: list[Any] = [None] * 9
    return StageRow(stage, "other", "span", 10 * share, share, share - spread, share + spread, *cells, 0.0)


def profile(
    structure: Structure | None, rows: list[StageRow], updates_per_step: float | None = 0.5
) -> Profile:
    flow = dataclasses.replace(
        Throughput.not_measured(), env_steps_per_second=100.0, updates_per_env_step=updates_per_step
    )
    return Profile(
        run=RunInfo("run-1", "", [], 0, "complete", 0.0, 10.0, "", "", {}, None, None, {}),
        phases=Phases(0.0, 10.0, 0.0),
        throughput=flow,
        stages=rows,
        unattributed=Unattributed(0.0, 0.0),
        lanes=[],
        hotspots=[],
        drift=Drift(None, []),
        system=SystemFigures(None, 4, None, []),
        trust=Trust(1.0, None, None, None, 0, 0, 0, None, None),
        structure=structure,
    )


def alone(envs: int | None = 4) -> Profile:
    """250 turns of 40 ms: 16 ms of stepping four games, 4 of acting, 20 of learning."""
    own = {"env.step": 4.0, "act": 1.0, "learn.loss": 5.0, "": 0.0}
    calls = {"env.step": 1000, "act": 250, "learn.loss": 500}
    known = Structure("alone", 10.0, own, {}, calls, 4, envs, 0)
    return profile(known, [row("learn.loss", 0.5), row("env.step", 0.4), row("act", 0.1)])


def locked() -> Profile:
    """500 turns of 20 ms: 14 waiting for two sleeping games, 2 of acting, 4 of learning."""
    rows = [WorkerTurn(i, 14_000.0, {"env.step": 14_000.0}) for i in range(2)]
    known = Structure(
        "lock-step",
        10.0,
        {"act": 1.0, "learn.loss": 2.0},
        {"env.step": 7.0},
        {"act": 500, "learn.loss": 500},
        4,
        2,
        40,
        workers=[Worker(8 + i, 8 + i, 1, [14_000.0], 0.0, 0.0) for i in range(2)],
        turns=[Turn(14_000.0, {}, rows)] * 40,
    )
    return profile(known, [row("env.step", 0.7), row("learn.loss", 0.2), row("act", 0.1)])


def speedup(told: Profile, **scenario: Any) -> float:
    prediction = what_if(told, Scenario(**scenario)).prediction
    assert prediction is not None
    assert prediction.low <= prediction.speedup <= prediction.high
    assert prediction.env_steps_per_second == pytest.approx(100.0 * prediction.speedup)
    return prediction.speedup


def test_faster_stages_and_fewer_updates() -> None:
    assert speedup(alone(), remaining={"env.step": 0.5}) == pytest.approx(1 / 0.8)
    assert speedup(alone(), updates_per_step=0.125) == pytest.approx(1 / 0.625)
    assert speedup(alone(), updates_per_step=1.0) == pytest.approx(1 / 1.5)
    both = speedup(alone(), remaining={"learn.loss": 0.5}, updates_per_step=0.25)
    assert both == pytest.approx(1 / 0.625)


def test_more_environments_in_one_thread_share_the_acting() -> None:
    # per env step: stepping and learning as before, acting a quarter
    assert speedup(alone(), envs=16) == pytest.approx(1 / (0.4 + 0.5 + 0.025))
    assert speedup(alone(), envs=1) == pytest.approx(1 / (0.4 + 0.5 + 0.4))


def test_more_workers_share_the_wait() -> None:
    # per turn: 14 waiting and 2 acting as before; learning doubles with the env steps
    assert speedup(locked(), workers=4) == pytest.approx(2 * 20 / (14 + 2 + 8))
    assert speedup(locked(), envs=4) == pytest.approx(2 * 20 / (14 + 2 + 8)), "one each: four workers"
    assert speedup(locked(), envs=4, workers=2) == pytest.approx(2 * 20 / (28 + 2 + 8))


def test_the_answer_says_what_it_rests_on() -> None:
    answer = what_if(locked(), Scenario(workers=4))
    assert answer.prediction is not None
    assert answer.prediction.basis.startswith(
        "lock-step: the driver waits for the slowest of 2 worker processes"
    )
    text = " ".join(answer.prediction.assumptions)
    assert "4 environments on 4 workers (recorded: 2 on 2)" in text
    assert "as many updates per env step as recorded" in text
    assert "4 cores" in text
    data = answer.to_json()
    assert (data["format"], data["version"], data["recorded"]["workers"]) == ("goldsplit-whatif", 1, 2)


def test_without_a_question_every_stage_has_its_ceiling() -> None:
    answer = what_if(alone(), Scenario())
    assert answer.prediction is None
    assert [one.stage for one in answer.ceilings] == ["learn.loss", "env.step", "act"]
    first = answer.ceilings[0]
    assert (first.free, first.twice, first.by_share) == pytest.approx((2.0, 4 / 3, 2.0))


def test_stacks_alone_answer_by_shares_and_say_so() -> None:
    sampled = profile(None, [row("env.step", 0.5, 0.05), row("act", 0.3)])
    prediction = what_if(sampled, Scenario({"env.step": 0.5})).prediction
    assert prediction is not None
    assert "Amdahl" in prediction.basis
    assert prediction.speedup == pytest.approx(1 / 0.75)
    assert (prediction.low, prediction.high) == pytest.approx((1 / 0.775, 1 / 0.725))
    assert "Amdahl" in describe(None)


@pytest.mark.parametrize(
    ("told", "scenario", "message", "hint"),
    [
        (alone(), Scenario({"env.stp": 0.5}), "env.stp has no time", "did you mean env.step"),
        (alone(), Scenario({"env.opponent": 0.5}), "env.opponent has no time", "--stage module:function"),
        (alone(), Scenario({"zzz": 0.5}), "zzz has no time", "this run has: learn.loss"),
        (alone(), Scenario(workers=2), "no workers", "record a run with workers"),
        (alone(envs=None), Scenario(envs=8), "was not measured", "goldsplit record"),
        (profile(None, []), Scenario(envs=8), "was not measured", "not attach"),
        (
            profile(None, [row("act", 0.5)], None),
            Scenario(updates_per_step=1.0),
            "not measured",
            "goldsplit.count",
        ),
    ],
)
def test_what_the_run_cannot_tell(told: Profile, scenario: Scenario, message: str, hint: str) -> None:
    with pytest.raises(QuestionError) as refused:
        what_if(told, scenario)
    assert message in refused.value.message
    assert hint in refused.value.hint
