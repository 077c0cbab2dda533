"""Kernels called on a few numbers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.compiled_kernel_on_tiny_data import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {"calls": 10_000, "calls_per_env_step": 100.0, "share": 0.2, "amount": 4.0}
    site = make.site("kernel", "hex_distance", **(settings | changes))
    step = make.deep_function("train", self_share=0.5)
    return make.profile({"env.step": 0.5}, deep=make.deep_look(sites=[site], functions=[step]))


def test_one_call_per_pair(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.2)
    assert "100 times per env step on 4 numbers" in found.title
    assert "goldsplit.fast.kernels" in found.remedy


@pytest.mark.parametrize(
    "changes",
    [{"amount": 10_000.0}, {"amount": None}, {"calls_per_env_step": 2.0}, {"share": 0.001}],
    ids=["large data", "unknown", "one call for all", "cheap"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []


def test_a_function_that_is_only_the_loop_counts_whole(make: SimpleNamespace) -> None:
    """0.4 s for 100 steps of 100 calls are 40 us per call; at a hundredth of that it is a loop."""
    profile = look(make)
    loop = make.deep_function("train", self_share=0.4, total_share=0.4, calls=100, calls_per_env_step=1.0)
    slower = make.deep_look(sites=profile.deep.sites, functions=[loop], seconds=12.0, slowdown=1.0)
    (found,) = RULE.check(make.profile({"env.step": 0.5}, deep=slower))
    assert found.share == pytest.approx(0.25), "0.2 of 0.4: the calls alone"
    quick = make.deep_look(sites=profile.deep.sites, functions=[loop], seconds=0.1, slowdown=1.0)
    (found,) = RULE.check(make.profile({"env.step": 0.5}, deep=quick))
    assert found.share == pytest.approx(0.5)
