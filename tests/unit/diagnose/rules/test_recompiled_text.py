"""Texts that are compiled again and again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.recompiled_text import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {
        "calls": 4_740, "calls_per_env_step": 474.0, "share": 0.4, "distinct": 474, "compared": 4_740,
        "stage": "env.observe", "detail": "'x + 1'",
    }  # fmt: skip
    site = make.site("text", "eval", **(settings | changes))
    function = make.deep_function("observe", stage="env.observe", self_share=0.5)
    profile = make.profile({"env.observe": 0.6}, deep=make.deep_look(sites=[site], functions=[function]))
    return profile


def test_constant_texts_are_found(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.48), "0.4 of 0.5 of the stage, which is 60 % of the run"
    assert "474 times per env step" in found.title
    assert found.evidence["distinct_texts"] == 474
    assert found.confidence == "high"


@pytest.mark.parametrize(
    "changes",
    [
        {"distinct": 4_000},
        {"distinct": None, "compared": 0},
        {"compared": 5},
        {"share": None},
        {"share": 0.0005},
    ],
    ids=["different texts", "not compared", "few", "not measured", "cheap"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []


def test_other_kinds_of_lines_are_not_texts(make: SimpleNamespace) -> None:
    deep = make.deep_look(sites=[make.site("allocation", "numpy.zeros", share=0.5, distinct=1, compared=100)])
    assert list(RULE.check(make.profile({"env.step": 0.9}, deep=deep))) == []
