"""The table of the end-to-end benchmark: intervals, bars that can be missed, trials that compare nothing."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("gymnasium")

FOLDER = Path(__file__).resolve().parents[3] / "benchmarks"


def loaded(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table() -> Any:
    loaded("games_table")
    return loaded("end_to_end_table")


@pytest.fixture(scope="module")
def parts(table: Any) -> Any:
    return loaded("end_to_end_parts")


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062), (2, 4.3027), (4, 2.7764), (7.5, 2.3330), (30, 2.0423)]
)
def test_quantiles_are_those_of_students_t(table: Any, freedom: float, quantile: float) -> None:
    assert table.t_quantile(0.975, freedom) == pytest.approx(quantile, abs=2e-4)


def test_welchs_interval_is_that_of_the_textbook(table: Any) -> None:
    first, second = [1.0, 2.0, 3.0, 4.0, 5.0], [3.0, 4.0, 8.0, 5.0, 10.0]
    found = table.welch(first, second)
    # scipy.stats.ttest_ind(second, first, equal_var=False).confidence_interval()
    assert found.mean == pytest.approx(3.0)
    assert (found.low, found.high) == pytest.approx((-0.60586, 6.60586), abs=1e-4)
    assert found.holds_zero
    assert not table.welch(first, [value + 10 for value in second]).holds_zero


def test_equal_values_without_any_spread_have_a_point_as_interval(table: Any) -> None:
    assert table.welch([2.0, 2.0], [2.0, 2.0]) == (0.0, 0.0, 0.0)
    assert not table.welch([2.0, 2.0], [3.0, 3.0]).holds_zero


def concluded(gain: float, low: float | None) -> dict[str, Any]:
    high = None if low is None else 2 * gain
    effect = {"gain": gain, "low": low, "high": high, "base_value": 100.0, "value": 100.0 * gain}
    return {"judged": [{"effect": effect | {"ratios": [gain]}}]}


@pytest.mark.parametrize(
    ("gain", "low", "held"), [(12.0, 11.0, True), (12.0, 9.0, False), (12.0, None, True), (9.0, None, False)]
)
def test_a_speed_bar_is_judged_by_the_lower_end(
    parts: Any, gain: float, low: float | None, held: bool
) -> None:
    case = parts.SpeedCase("Pong-DQN", "pong", "dqn", {}, 1.0, 10, 10.0)
    row = parts.speed_row(case, concluded(gain, low))
    assert (row.held, row.missed) == (held, not held)
    assert row.plain == "100"


def test_a_case_without_a_bar_cannot_miss_it(parts: Any) -> None:
    case = parts.SpeedCase("Pong-DQN", "pong", "dqn", {}, 1.0, 10, None)
    row = parts.speed_row(case, concluded(0.5, 0.4))
    assert row.held is None
    assert not row.missed


def trial(made: float, learning_from: float, status: str = "complete") -> dict[str, Any]:
    curve = [[0.0, 0.0], [1.0, made]]
    return {
        "variant": "base",
        "curve": curve,
        "learning_from_steps": learning_from,
        "status": status,
        "problem": "",
    }


def test_trials_without_learning_in_most_of_their_steps_compare_nothing(parts: Any) -> None:
    parts.check_learning([trial(1000, 500)], "Pong-DQN")
    for wrong in (trial(1000, 501), trial(0, 0), trial(1000, 100, "failed"), trial(10, 0) | {"curve": []}):
        with pytest.raises(SystemExit, match="nothing to compare"):
            parts.check_learning([trial(1000, 500), wrong], "Pong-DQN")


def test_equal_curves_count_only_where_something_was_learned(parts: Any) -> None:
    case = parts.CurveCase("Pong-DQN", "pong", "win_rate", 1000, {})
    untrained, learned = [0.01, 0.02, 0.03, 0.02, 0.01], [0.3, 0.4, 0.35, 0.28, 0.33]
    alike = parts.curve_row(case, untrained, learned, [0.29, 0.41, 0.33, 0.3, 0.36])
    assert alike.held is True
    assert "win rate after 1,000 steps" in alike.name
    nothing = parts.curve_row(case, untrained, untrained, untrained)
    assert nothing.held is False
    assert "nothing was learned" in nothing.outcome
    worse = parts.curve_row(case, untrained, learned, [0.1, 0.12, 0.11, 0.1, 0.13])
    assert worse.held is False


def test_the_bot_is_beaten_only_with_the_whole_interval(parts: Any) -> None:
    from goldsplit.train.evaluation import Evaluation

    def run(interval: tuple[float, float]) -> Any:
        return parts.BotRun(60.0, 1_000_000, Evaluation(2000, 0.75, interval, 1.0, (0.9, 1.1), 50.0))

    assert run((0.7, 0.8)).beats_the_bot
    assert not run((0.69, 0.8)).beats_the_bot
    assert str(run((0.7, 0.8))) == "75% (70%-80%) after 60 s, 1,000,000 steps"


def test_the_table_says_which_bars_are_missed(table: Any) -> None:
    rows = [table.Row("a", "1", "2", "2x", "3x", False), table.Row("b", "1", "2", "2x")]
    assert table.as_text(rows).splitlines()[1].split() == ["a", "1", "2", "2x", "3x", "MISSED"]
    page = table.as_markdown(rows, "python benchmarks/end_to_end.py --quick")
    assert "Made by `python benchmarks/end_to_end.py --quick`" in page
    assert "| b | 1 | 2 | 2x |  |  |" in page
