"""Settings, the curve, and the prediction beside it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.errors import ConfigError, QuestionError
from goldsplit.experiment.search.sweeping import (
    check_places,
    scenario_of,
    settings_of,
    sweep_of,
    usual_pairs,
    variant_of,
)
from goldsplit.experiment.variants import Prepared
from goldsplit.model.experiment.design import Plan
from goldsplit.model.whatif import Prediction, Scenario
from goldsplit.report.experiments.sweep_terminal import SweepRenderer
from goldsplit.report.terminal import TerminalRenderer

PLAN = Plan("s", ("python", "{n_envs}"), tuple(variant_of({"n_envs": n}) for n in ("1", "2", "4")), pairs=7)


def predicted(scenario: Scenario) -> Prediction:
    assert scenario.envs is not None
    return Prediction(scenario.envs * 0.9, scenario.envs * 0.8, scenario.envs * 1.0, None, "")


def test_all_combinations() -> None:
    assert settings_of(["n_envs=1,2", "lr=0.1"]) == [
        {"n_envs": "1", "lr": "0.1"},
        {"n_envs": "2", "lr": "0.1"},
    ]
    assert variant_of({"n_envs": "2", "lr": "0.1"}).name == "n_envs-2_lr-0.1"
    assert Prepared(variant_of({"n": "2"}), ("a", "--n={n}", "{seed}"), {}).command_for(5) == (
        "a",
        "--n=2",
        "5",
    )
    assert [usual_pairs(n) for n in (2, 4, 8)] == [6, 7, 9]


@pytest.mark.parametrize(
    "texts", [["n"], ["n="], ["n=1,1"], ["n=1,2", "n=3,4"], ["n=1"], ["9=1,2"], ["n=1,,2"]]
)
def test_wrong_settings(texts: list[str]) -> None:
    with pytest.raises(ConfigError):
        settings_of(texts)


def test_a_setting_that_changes_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="nothing would change"):
        check_places(("python", "train.py"), {"n_envs": "1"})


def test_the_curve_beside_the_prediction(make: SimpleNamespace) -> None:
    seconds = {"n_envs-1": 10.0, "n_envs-2": 6.0, "n_envs-4": 5.0}
    trials = [make.trial(b, v.name, seconds[v.name] * (1 + b / 100)) for b in range(7) for v in PLAN.variants]
    found = sweep_of(PLAN, trials, predicted)
    assert [point.gain for point in found.points] == pytest.approx([1.0, 10 / 6, 2.0])
    assert [point.predicted for point in found.points] == [None, 1.8, 3.6]
    assert found.points[2].value == pytest.approx(1000 / (5 * 1.03))
    assert found.unpredicted == ""
    text = SweepRenderer(TerminalRenderer(width=80)).render(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "n_envs=4" in text


def test_why_there_is_no_prediction(make: SimpleNamespace) -> None:
    def refused(scenario: Scenario) -> Prediction:
        raise QuestionError("no vector environment", "")

    assert sweep_of(PLAN, [], refused).unpredicted == "no vector environment"
    assert "no recording" in sweep_of(PLAN, [], lambda _: None).unpredicted
    other = Plan("s", ("{lr}",), (variant_of({"lr": "1"}), variant_of({"lr": "2"})))
    assert "nothing else" in sweep_of(other, [], predicted).unpredicted
    assert [point.gain for point in sweep_of(other, [], predicted).points] == [None, None]


def test_questions() -> None:
    assert scenario_of({"n_envs": "4", "workers": "2"}, {"n_envs": "1", "workers": "2"}) == Scenario({}, 4)
    assert scenario_of({"num-workers": "2"}, {}) == Scenario({}, None, 2)
    assert scenario_of({"updates_per_step": "0.5"}, {}) == Scenario({}, None, None, 0.5)
    assert scenario_of({"n_envs": "many"}, {}) is None
    assert scenario_of({"lr": "1"}, {}) is None
