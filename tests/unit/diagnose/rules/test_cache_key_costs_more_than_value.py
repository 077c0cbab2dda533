"""Caches that lose time."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.cache_key_costs_more_than_value import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {
        "stage": "env.step", "hits": 2_000, "misses": 8_000, "key_us": 12.0, "value_us": 4.0, "share": 0.35
    }  # fmt: skip
    cache = make.cache(**(settings | changes))
    rest = make.deep_function("Game.step", self_share=0.7)
    deep = make.deep_look(caches=[cache], functions=[rest])
    return make.profile({"env.step": 0.5}, deep=deep)


def test_a_key_that_costs_more_than_its_value(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    lost_us, asking_us = 10_000 * 12.0 - 2_000 * 4.0, 10_000 * 12.0 + 8_000 * 4.0
    assert found.share == pytest.approx(0.35 * lost_us / asking_us / 0.7 * 0.5)
    assert "12.0 us per key" in found.title
    assert found.evidence["hit_rate"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    "changes",
    [{"key_us": 0.5}, {"key_us": None}, {"value_us": None}, {"value_us": 100.0}, {"hits": 1, "misses": 5}],
    ids=["cheap key", "key not measured", "value not measured", "saves time", "few"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []
