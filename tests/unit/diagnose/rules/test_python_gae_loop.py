"""Returns in a Python loop over tensors."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.python_gae_loop import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {
        "stage": "learn.returns", "place": make.place(30, "compute_gae"), "calls": 3_000,
        "calls_per_env_step": 6.0, "share": 0.1, "amount": 8.0,
    }  # fmt: skip
    site = make.site("tensor_op", "Tensor.__mul__", **(settings | changes))
    function = make.deep_function(
        "compute_gae", place=make.place(25, "compute_gae"), stage="learn.returns", calls=10, self_share=0.3,
        total_share=0.3,
    )  # fmt: skip
    deep = make.deep_look(sites=[site], functions=[function])
    return make.profile({"learn.returns": 0.3, "act": 0.4}, deep=deep)


def test_a_loop_over_time_steps(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.3)
    assert found.where.line == 30
    assert found.evidence["operations_per_call"] == pytest.approx(300.0)
    assert "goldsplit.fast.returns.gae" in found.remedy


@pytest.mark.parametrize(
    "changes",
    [{"calls": 100}, {"amount": 100_000.0}, {"stage": "learn.loss", "place": None}],
    ids=["vectorised", "large operations", "another function"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    if "place" in changes:
        changes = changes | {"place": make.place(30, "ppo_update")}
    assert list(RULE.check(look(make, **changes))) == []


def spot(make: SimpleNamespace, name: str = "Trainer.compute_gae", **changes: object) -> SimpleNamespace:
    settings = {"total_share": 0.3, "samples": 25, "stage": "learn.returns"} | changes
    return make.profile({"learn.returns": 0.32}, hotspots=[make.hotspot(name, 0.28, **settings)])


@pytest.mark.parametrize("samples", [8, 25])
def test_samples_show_it_if_no_window_does(make: SimpleNamespace, samples: int) -> None:
    (found,) = RULE.check(spot(make, samples=samples))
    assert found.share == pytest.approx(0.28)
    assert found.confidence == "medium"


@pytest.mark.parametrize(
    "changes",
    [{"samples": 4}, {"total_share": 0.9}, {"kind": "library"}, {"name": "Trainer.collect"}],
    ids=["few samples", "its callees", "a library's", "another function"],
)
def test_samples_that_say_nothing(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(spot(make, **changes))) == []


def test_a_small_share_needs_more_samples_than_a_large_one(make: SimpleNamespace) -> None:
    def small(samples: int) -> list[object]:
        shares = {"total_share": 0.08, "samples": samples, "stage": "learn.returns"}
        spots = [make.hotspot("Trainer.compute_gae", 0.075, **shares)]
        return list(RULE.check(make.profile({"learn.returns": 0.08}, hotspots=spots)))

    assert small(8) == []
    assert len(small(40)) == 1
