"""From shares of the windows to shares of the run."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.deep_ceilings import (
    call_us,
    cost_of,
    cost_of_function,
    cost_of_sites,
    repeated_part,
    stage_share,
)


def profile(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    functions = [
        make.deep_function("Game.step", self_share=0.2, total_share=0.6),
        make.deep_function("Game.reach", self_share=0.4, total_share=0.4),
        make.deep_function("main", stage=None, self_share=0.1, total_share=1.0),
    ]
    deep = make.deep_look(functions=functions)
    return make.profile({"env.step": 0.3, "act": 0.5}, **({"deep": deep} | changes))


def test_a_windows_share_is_scaled_by_its_stages_wall_share(make: SimpleNamespace) -> None:
    cost = cost_of(profile(make), make.place(), "env.step", 0.4)
    assert cost.share == pytest.approx(0.4 / 0.6 * 0.3)
    assert cost.ceiling_speedup == pytest.approx(1 / 0.8)


def test_never_more_than_the_stage(make: SimpleNamespace) -> None:
    assert cost_of(profile(make), make.place(), "env.step", 0.9).share == pytest.approx(0.3)


def test_the_recorded_share_of_a_stage_goes_first(make: SimpleNamespace) -> None:
    deep = make.deep_look(extra={"stage_shares": {"env.step": 0.8, "": 0.2}})
    assert stage_share(deep, "env.step") == 0.8
    assert stage_share(deep, None) == 0.2
    assert stage_share(deep, "act") == 0.0


def test_samples_are_the_upper_bound(make: SimpleNamespace) -> None:
    """Short calls seem more expensive in a window than they are."""
    sampled = make.function_cost("Game.reach", 0.05, share_high=0.055)
    cost = cost_of(profile(make, functions=[sampled]), make.place(function="Game.reach"), "env.step", 0.4)
    assert cost.share == pytest.approx(0.055)
    other = make.function_cost("Game.other", 0.05)
    cost = cost_of(profile(make, functions=[other]), make.place(function="Game.reach"), "env.step", 0.4)
    assert cost.share == pytest.approx(0.2)


def test_enough_samples_go_before_the_windows(make: SimpleNamespace) -> None:
    function = make.deep_function("Game.reach", total_share=0.4, repeat_share=0.1)
    often = make.function_cost("Game.reach", 0.25, samples=60, share_low=0.2, share_high=0.3)
    cost = cost_of_function(profile(make, functions=[often]), function, repeated_part(function))
    assert cost.share == pytest.approx(0.25 / 4)
    assert (cost.low, cost.high) == (pytest.approx(0.05), pytest.approx(0.075))
    seldom = make.function_cost("Game.reach", 0.25, samples=3)
    cost = cost_of_function(profile(make, functions=[seldom]), function, repeated_part(function))
    assert cost.share == pytest.approx(0.1 / 0.6 * 0.3)


def test_a_function_saves_in_all_stages_that_it_runs_in(make: SimpleNamespace) -> None:
    used_twice = make.function_cost("Game.reach", 0.3, stages={"env.step": 0.2, "act": 0.1})
    cost = cost_of_function(profile(make, functions=[used_twice]), make.deep_function("Game.reach"))
    assert cost.saves == {"env.step": pytest.approx(0.2), "act": pytest.approx(0.1)}
    assert cost.ceiling_speedup == pytest.approx(1 / 0.7)


def test_samples_of_a_librarys_function_bound_its_lines(make: SimpleNamespace) -> None:
    sites = [make.site("deepcopy", "copy.deepcopy", share=0.6)]
    spot = make.hotspot("deepcopy", 0.04, samples=400, kind="library", file="/usr/lib/python3.11/copy.py")
    assert 0.04 < cost_of_sites(profile(make, hotspots=[spot]), sites, make.place()).share < 0.05


def test_outside_of_stages_only_unattributed_time_can_be_saved(make: SimpleNamespace) -> None:
    cost = cost_of(profile(make), make.place(), None, 0.05)
    assert cost.share == pytest.approx(0.05)
    assert cost.ceiling_speedup == pytest.approx(1 / 0.95)
    assert cost_of(profile(make), make.place(), None, 0.9).share == pytest.approx(0.2)


def test_lines_of_several_stages_are_added_once(make: SimpleNamespace) -> None:
    sites = [
        make.site("text", "eval", stage="env.step", share=0.2),
        make.site("text", "eval", stage="env.step", share=0.1),
        make.site("text", "eval", stage="env.step", share=None),
    ]
    cost = cost_of_sites(profile(make), sites, make.place())
    assert cost.share == pytest.approx(0.3 / 0.6 * 0.3)
    assert cost.ceiling_speedup == pytest.approx(1 / 0.85)


def test_nothing_seen_costs_nothing(make: SimpleNamespace) -> None:
    assert cost_of(profile(make, deep=None), make.place(), "env.step", 0.4).share == 0.0
    assert not cost_of(profile(make), make.place(), "env.step", 0.0).worth_mentioning


def test_one_call_without_the_cost_of_looking(make: SimpleNamespace) -> None:
    deep = make.deep_look(seconds=1.2, slowdown=1.2)
    function = make.deep_function(calls=1_000, total_share=0.5)
    assert call_us(deep, function) == pytest.approx(500.0)
