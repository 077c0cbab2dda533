"""Repeats are ranked by their cost, and only those with equal results count."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.findings import diagnose
from goldsplit.diagnose.rules.repeated_calls import RULE
from goldsplit.model.hot_code.function_cost import FunctionCost
from goldsplit.model.hot_code.source_look import SourceLook


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    """A function of 20 us per call, half of it repeats, that is 40 % of the windows."""
    settings = {
        "calls": 8_000, "self_share": 0.4, "total_share": 0.4, "compared": 1_000, "repeats": 500,
        "repeats_in_step": 400, "repeat_share": 0.2, "distinct_results": 40, "distinct_arguments": 500,
    }  # fmt: skip
    function = make.deep_function("Game.path_field", **(settings | changes))
    rest = make.deep_function("Game.step", self_share=0.1, total_share=0.5)
    deep = make.deep_look(functions=[function, rest])
    source = SourceLook(drivable=(f"{function.place.file}:Game",))
    return make.profile({"env.step": 0.5, "act": 0.5}, deep=deep, source=source)


def test_costly_repeats_are_found(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.where.function == "Game.path_field"
    assert found.share == pytest.approx(0.2), "0.2 of 0.5 in the windows, of a stage of 50 %"
    assert found.ceiling_speedup == pytest.approx(1 / (1 - found.share))
    assert found.evidence["results_that_differed"] == 0
    assert "PhaseCache" in found.remedy
    assert found.verify == "goldsplit env train:Game --hash"
    assert found.confidence == "high"


def test_a_step_of_the_training_is_no_repeat_though_it_returns_the_same(make: SimpleNamespace) -> None:
    profile = look(make)
    (place,) = [one.place for one in profile.deep.functions if one.place.function == "Game.path_field"]
    within = {"env.step": 0.3, "learn.backward": 0.1}
    both = FunctionCost(place, 0.4, 0.35, 0.45, 200, 0.1, 0.0, stages=within)
    assert not list(RULE.check(dataclasses.replace(profile, functions=[both])))
    game_only = dataclasses.replace(both, stages={"env.step": 0.4})
    assert list(RULE.check(dataclasses.replace(profile, functions=[game_only])))


@pytest.mark.parametrize(
    "changes",
    [
        {"differing": 1},
        {"mutates": 1},
        {"compared": 10, "repeats": 9},
        {"repeats": 50},
        {"kind": "property"},
        {"kind": "generator"},
        {"repeat_share": 0.001},
        {"calls": 800_000},
        {"constant_result": "None"},
        {"constant_result": "True", "distinct_results": 1, "calls_per_env_step": 8.0, "compared": 60},
        {"constant_result": "True", "distinct_results": 1, "calls_per_env_step": None},
    ],
    ids=["differed", "changes its arguments", "few", "seldom", "property", "generator", "cheap",
         "a lookup costs more", "returns nothing", "constant, so far", "constant, too few steps"],
)  # fmt: skip
def test_no_finding_if_a_cache_would_not_save_time(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert not [found for found in RULE.check(look(make, **changes)) if found.worthwhile]


def test_a_function_with_a_cache_is_left_to_the_rules_on_caches(make: SimpleNamespace) -> None:
    profile = look(make)
    profile.deep.caches.append(make.cache(place=profile.deep.functions[0].place))
    assert list(RULE.check(profile)) == []


def test_functions_called_for_their_effect_are_not_cached(make: SimpleNamespace) -> None:
    names = ("Game.step", "Game.enemy_turn", "ReplayMemory.push", "Agent.select_action")
    functions = [
        make.deep_function(name, calls=100, total_share=0.5, compared=100, repeats=90, repeat_share=0.4)
        for name in names
    ]
    assert list(RULE.check(make.profile({"env.step": 0.9}, deep=make.deep_look(functions=functions)))) == []


def test_ranked_by_cost_on_repeats(make: SimpleNamespace) -> None:
    many = {"compared": 1_000, "repeats": 990, "total_share": 0.1, "repeat_share": 0.02}
    expensive = {"compared": 1_000, "repeats": 300, "total_share": 0.5, "repeat_share": 0.2}
    functions = [make.deep_function("distance", **many), make.deep_function("reach", **expensive)]
    found = list(RULE.check(make.profile({"env.step": 0.9}, deep=make.deep_look(functions=functions))))
    assert [one.where.function for one in found] == ["reach", "distance"]


@pytest.mark.parametrize(
    ("changes", "told", "untold"),
    [
        ({"hashable": False}, "cannot be keys", "lru_cache"),
        ({"kind": "method"}, "lru_cache would keep them beyond", "or keep results in functools"),
        ({"hashable": True}, "functools.lru_cache or", "cannot be keys"),
    ],
)
def test_the_remedy_fits_what_was_seen(
    make: SimpleNamespace, changes: dict[str, object], told: str, untold: str
) -> None:
    (found,) = RULE.check(look(make, **changes))
    assert told in found.remedy
    assert untold not in found.remedy
    assert found.overlays == ("memo:__main__:Game.path_field@step",), "it compares lists by value"


def test_what_each_step_asks_again_is_computed_once(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make, repeats_in_step=0))
    assert found.remedy.startswith("compute the answers of path_field() once, as a table")
    assert found.overlays == ("memo:__main__:Game.path_field@run",)


def test_nothing_is_kept_for_an_object_that_may_have_changed(make: SimpleNamespace) -> None:
    (found,) = diagnose(look(make, self_by_identity=True), (RULE,))
    assert (found.code, found.overlays) == ("repeated-calls", ())


@pytest.mark.parametrize(("calls_per_step", "number"), [(50.0, 1), (3_000.0, 0)])
def test_samples_say_how_long_a_call_takes(make: SimpleNamespace, calls_per_step: float, number: int) -> None:
    """The deep look takes off its own cost, and of a short call hardly anything may be left."""
    profile = look(make, calls=800_000, calls_per_env_step=calls_per_step, inclusive_us=0.8)
    sampled = make.function_cost("Game.path_field", 0.4)  # 40 s of 20,000 steps
    seen = dataclasses.replace(
        profile,
        functions=[sampled],
        throughput=dataclasses.replace(profile.throughput, steady_env_steps=20_000),
    )
    assert len(list(RULE.check(seen))) == number
