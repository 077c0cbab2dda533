"""Caches that drop values which are needed again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.over_cleared_cache import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    """The cache takes 40 % of the windows; 5,000 of the 8,000 computed values were known before."""
    settings = {
        "stage": "env.step", "hits": 3_000, "misses": 8_000, "clears": 100, "key_us": 0.3, "value_us": 20.0,
        "repeated_misses": 5_000, "share": 0.4,
    }  # fmt: skip
    cache = make.cache(**(settings | changes))
    rest = make.deep_function("Game.step", self_share=0.8)
    deep = make.deep_look(caches=[cache], functions=[rest])
    return make.profile({"env.step": 0.4}, deep=deep)


def test_values_computed_again_are_found(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.4 * 100_000 / (11_000 * 0.3 + 160_000) / 0.8 * 0.4)
    assert found.evidence["misses_for_known_keys"] == 5_000
    assert "PhaseCache" in found.remedy


@pytest.mark.parametrize(
    "changes",
    [
        {"value_us": 0.1, "share": 0.02},
        {"value_us": None},
        {"clears": 0},
        {"repeated_misses": 3},
        {"repeated_misses": 500},
    ],
    ids=["cheap values", "not measured", "never cleared", "few", "mostly new keys"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert not [found for found in RULE.check(look(make, **changes)) if found.worthwhile]


def test_a_value_that_had_changed_was_rightly_dropped(make: SimpleNamespace) -> None:
    profile = look(make)
    cache = profile.deep.caches[0]
    profile.deep.functions.append(
        make.deep_function(place=cache.place, compared=100, repeats=50, differing=2)
    )
    assert list(RULE.check(profile)) == []
