"""Networks run twice on the same input."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.duplicate_forward import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {
        "stage": "act.value", "calls": 200, "calls_per_env_step": 1.0, "share": 0.2, "distinct": 0,
        "compared": 200, "detail": "Sequential",
    }  # fmt: skip
    site = make.site("forward", "Module.__call__", **(settings | changes))
    act = make.deep_function("train", stage="act.value", self_share=0.25)
    deep = make.deep_look(sites=[site], functions=[act])
    return make.profile({"act.value": 0.25, "act": 0.3}, deep=deep)


def test_the_trunk_for_actions_and_again_for_values(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.2)
    assert "Sequential" in found.title
    assert found.evidence["repeated_passes"] == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"distinct": 200},
        {"distinct": 180},
        {"distinct": None, "compared": 0},
        {"share": 0.001},
        {"compared": 5},
    ],
    ids=["all different", "seldom", "not compared", "cheap", "few"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []
