"""Transitions converted one at a time."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.replay_item_by_item import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    place = make.place(20, "ReplayMemory.push")
    settings = {"stage": "replay.add", "place": place, "calls": 500, "calls_per_env_step": 5.0, "share": 0.2}
    site = make.site("conversion", "torch.tensor", **(settings | changes))
    push = make.deep_function(
        place=make.place(18, "ReplayMemory.push"), stage="replay.add", self_share=0.3, total_share=0.3
    )
    return make.profile({"replay.add": 0.3}, deep=make.deep_look(sites=[site], functions=[push]))


def test_five_tensors_per_transition(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.3), "storing as a whole; the conversions alone are in the evidence"
    assert found.evidence["conversions_share"] == pytest.approx(0.2)
    assert found.where.line == 20
    assert "UniformReplay" in found.remedy


@pytest.mark.parametrize(
    "changes",
    [{"calls_per_env_step": 0.1}, {"share": 0.0}, {"stage": "replay.sample", "place": None}],
    ids=["a batch at a time", "cheap", "the sampled batch"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    if "place" in changes:
        changes = changes | {"place": make.place(30, "ReplayMemory.sample")}
    assert list(RULE.check(look(make, **changes))) == []
