"""Ranking, and which of two findings about one cost is kept."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

from goldsplit.diagnose.findings import diagnose, rank
from goldsplit.diagnose.rule import ANY, Rule
from goldsplit.model.finding import Finding, Place


def finding(code: str, share: float | None = 0.3, **changes: Any) -> Finding:
    made = Finding(
        code=code,
        title=code,
        where=Place("/home/me/game.py", 10, "Game.step"),
        stage="env.step",
        evidence={"share": 0.3},
        share=share,
        ceiling_speedup=None if share in (None, 1.0) else 1 / (1 - share),
        confidence="medium",
        remedy="fix it",
        verify="goldsplit record -- python train.py",
    )
    return dataclasses.replace(made, **changes)


def rule(*findings: Finding, code: str = "", yields_to: tuple[str, ...] = ()) -> Rule:
    return Rule(code or findings[0].code, lambda profile: findings, yields_to=yields_to)


def codes(make: SimpleNamespace, *rules: Rule) -> list[str]:
    return [found.code for found in diagnose(make.profile(), rules)]


def test_the_most_expensive_comes_first_and_unknown_gain_last(make: SimpleNamespace) -> None:
    rules = [rule(finding(code, share)) for code, share in (("b", 0.1), ("c", None), ("a", 0.5))]
    assert codes(make, *rules) == ["a", "b", "c"]


def test_among_equals_the_more_certain_comes_first() -> None:
    sure, unsure = finding("z", confidence="high"), finding("a", confidence="low")
    assert sorted([unsure, sure], key=rank) == [sure, unsure]


def test_a_general_finding_yields_to_a_more_precise_one_in_the_same_function(make: SimpleNamespace) -> None:
    general = rule(finding("bound", 0.8), yields_to=("repeated",))
    assert codes(make, general, rule(finding("repeated", 0.1))) == ["repeated"]


def test_it_yields_where_more_precise_ones_explain_most_of_the_same_kind_of_cost(
    make: SimpleNamespace,
) -> None:
    general = rule(finding("bound", 0.8, where=None), yields_to=("first", "second"))
    first, second = finding("first", 0.2, stage="env.mask"), finding("second", 0.25, stage="env.observe")
    assert codes(make, general, rule(first), rule(second)) == ["second", "first"]
    assert codes(make, general, rule(first)) == ["bound", "first"]


def test_another_kind_of_cost_explains_nothing(make: SimpleNamespace) -> None:
    general = rule(finding("bound", 0.4, where=None), yields_to=("other",))
    assert codes(make, general, rule(finding("other", 0.35, stage="learn.forward"))) == ["bound", "other"]


def test_what_is_not_worthwhile_pushes_nothing_aside(make: SimpleNamespace) -> None:
    general = rule(finding("bound", 0.8), yields_to=("tiny",))
    assert codes(make, general, rule(finding("tiny", 0.01))) == ["bound", "tiny"]


def test_any_means_all_rules_that_are_not_general_themselves(make: SimpleNamespace) -> None:
    one, other = (rule(finding(code, 0.8), yields_to=(ANY,)) for code in ("bound", "dominates"))
    assert codes(make, one, other) == ["bound", "dominates"]
    assert codes(make, one, other, rule(finding("sharp", 0.3))) == ["sharp"]


def test_one_rule_names_one_place_once(make: SimpleNamespace) -> None:
    cheap, expensive = finding("twice", 0.1), finding("twice", 0.2)
    elsewhere = finding("twice", 0.05, where=Place("/home/me/game.py", 99, "Game.reset"))
    nowhere = [finding("twice", share, where=None) for share in (0.04, 0.03)]
    found = diagnose(make.profile(), (rule(cheap, expensive, elsewhere, *nowhere),))
    assert [one.share for one in found] == [0.2, 0.05, 0.04, 0.03]


def test_a_share_of_everything_is_ranked_too() -> None:
    assert rank(finding("all", 1.0, ceiling_speedup=None)) < rank(finding("much", 0.9))
