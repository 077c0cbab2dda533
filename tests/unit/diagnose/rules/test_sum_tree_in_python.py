"""The usual SumTree class."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.sum_tree_in_python import RULE


def look(
    make: SimpleNamespace, owner: str = "SumTree", calls: int = 5_000, share: float = 0.2
) -> SimpleNamespace:
    functions = [
        make.deep_function(
            f"{owner}.{name}",
            stage=stage,
            calls=calls,
            calls_per_env_step=20.0,
            self_share=share,
            total_share=share,
        )
        for name, stage in (("retrieve", "replay.sample"), ("set", "replay.update"))
    ]
    deep = make.deep_look(functions=functions)
    return make.profile({"replay.sample": 0.2, "replay.update": 0.1, "act": 0.5}, deep=deep)


def test_walks_in_python(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.3)
    assert found.ceiling_speedup == pytest.approx(1 / 0.7)
    assert "goldsplit.fast.replay.PrioritizedReplay" in found.remedy
    assert found.evidence["methods"] == ["SumTree.retrieve", "SumTree.set"]


def test_the_recipe_under_another_name(make: SimpleNamespace) -> None:
    function = make.deep_function("Memory._retrieve", stage="replay.sample", calls=900, self_share=0.2)
    profile = make.profile({"replay.sample": 0.2}, deep=make.deep_look(functions=[function]))
    assert len(list(RULE.check(profile))) == 1


@pytest.mark.parametrize("changes", [{"calls": 10}, {"share": 0.0}], ids=["few", "cheap"])
def test_no_finding(make: SimpleNamespace, changes: dict[str, float]) -> None:
    assert list(RULE.check(look(make, **changes))) == []


def test_other_classes_are_not_trees(make: SimpleNamespace) -> None:
    function = make.deep_function("Priorities.draw", stage="replay.sample", calls=900, self_share=0.2)
    profile = make.profile({"replay.sample": 0.2}, deep=make.deep_look(functions=[function]))
    assert list(RULE.check(profile)) == []
