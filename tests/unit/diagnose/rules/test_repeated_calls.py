"""Repeats are ranked by their cost, and only those with equal results count."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.repeated_calls import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    """A function of 20 us per call, half of it repeats, that is 40 % of the windows."""
    settings = {
        "calls": 8_000, "self_share": 0.4, "total_share": 0.4, "compared": 1_000, "repeats": 500,
        "repeat_share": 0.2, "distinct_results": 40, "distinct_arguments": 500,
    }  # fmt: skip
    function = make.deep_function("Game.path_field", **(settings | changes))
    rest = make.deep_function("Game.step", self_share=0.1, total_share=0.5)
    deep = make.deep_look(functions=[function, rest])
    return make.profile({"env.step": 0.5, "act": 0.5}, deep=deep)


def test_costly_repeats_are_found(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.where.function == "Game.path_field"
    assert 0.18 < found.share < 0.2, "0.2 of 0.5 in the windows, of a stage of 50 %, less the lookups"
    assert found.ceiling_speedup == pytest.approx(1 / (1 - found.share))
    assert found.evidence["results_that_differed"] == 0
    assert "PhaseCache" in found.remedy
    assert found.verify == "goldsplit env train:Game --hash"
    assert found.confidence == "high"


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
    ],
    ids=["differed", "changes its arguments", "few", "seldom", "property", "generator", "cheap",
         "a lookup costs more", "returns nothing"],
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
