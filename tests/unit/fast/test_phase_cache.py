"""PhaseCache against a model without a cache, its statistics, and the verify mode."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from goldsplit.fast.cache import MissingDependencyError, PhaseCache, StaleValueError, same_value

SCOPES = {"sight": ("walls",), "targets": ("positions", "hit_points"), "score": ("hit_points",), "fixed": ()}
FACTS = ("walls", "positions", "hit_points")


class CachedGame(RuleBasedStateMachine):
    """A game whose facts change with a bump: cached answers must be those computed from the facts now.

    It also keeps, without a cache, which keys each scope should hold: one entry too many or too few fails.
    """

    def __init__(self) -> None:
        super().__init__()
        self.facts = dict.fromkeys(FACTS, 0)
        self.cache = PhaseCache(SCOPES, verify=0.5, seed=1)
        self.held: dict[str, set[int]] = {scope: set() for scope in SCOPES}
        self.expected = {scope: [0, 0] for scope in SCOPES}

    def answer(self, scope: str, key: int) -> tuple[Any, ...]:
        return (scope, key, *(self.facts[fact] for fact in SCOPES[scope]))

    @rule(scope=st.sampled_from(sorted(SCOPES)), key=st.integers(0, 3))
    def ask(self, scope: str, key: int) -> None:
        computed = []

        def compute() -> tuple[Any, ...]:
            computed.append(1)
            return self.answer(scope, key)

        verified_before = self.cache.statistics()[scope].verified
        assert self.cache.get(scope, key, compute) == self.answer(scope, key)
        hit = key in self.held[scope]
        verified = self.cache.statistics()[scope].verified - verified_before
        assert len(computed) == (verified if hit else 1)
        self.held[scope].add(key)
        self.expected[scope][not hit] += 1

    @rule(changed=st.lists(st.sampled_from(FACTS), min_size=1, max_size=3))
    def change(self, changed: list[str]) -> None:
        for fact in changed:
            self.facts[fact] += 1
        self.cache.bump(*changed)
        for scope, depends_on in SCOPES.items():
            if set(depends_on) & set(changed):
                self.held[scope].clear()

    @rule()
    def start_episode(self) -> None:
        self.facts = {fact: value + 1 for fact, value in self.facts.items()}
        self.cache.clear()
        for held in self.held.values():
            held.clear()

    @invariant()
    def holds_exactly_what_still_counts(self) -> None:
        for scope, statistics in self.cache.statistics().items():
            assert statistics.entries == len(self.held[scope])
            assert [statistics.hits, statistics.misses] == self.expected[scope]


CachedGame.TestCase.settings = settings(max_examples=60, deadline=None, derandomize=True)
TestCachedGame = CachedGame.TestCase


def test_a_forgotten_bump_is_found_with_key_scope_and_both_values() -> None:
    hit_points = {"ork": 3}
    cache = PhaseCache({"targets": ["positions"]}, verify=1.0)
    ask = lambda: cache.get("targets", ("ork", 1), lambda: hit_points["ork"] > 0)  # noqa: E731
    assert ask()
    assert ask()
    hit_points["ork"] = 0
    with pytest.raises(
        StaleValueError, match=r"(?s)scope 'targets' for key \('ork', 1\): cached True, .*False"
    ) as e:
        ask()
    assert (e.value.scope, e.value.key, e.value.cached, e.value.fresh) == ("targets", ("ork", 1), True, False)
    assert "hint: scope 'targets' is emptied by bump of positions" in str(e.value)


def test_without_verify_a_stale_value_is_given() -> None:
    cache = PhaseCache({"targets": ["positions"]})
    assert cache.get("targets", 1, lambda: "old") == "old"
    assert cache.get("targets", 1, lambda: "new") == "old"


def test_verify_recomputes_its_share_of_hits_and_repeats_under_a_seed() -> None:
    def checked_hits(seed: int) -> list[int]:
        cache = PhaseCache({"s": []}, verify=0.1, seed=seed)
        calls: list[int] = []
        for hit in range(2000):
            cache.get("s", 0, lambda hit=hit: calls.append(hit))  # type: ignore[misc]
        assert cache.statistics()["s"].verified == len(calls) - 1
        return calls

    first = checked_hits(3)
    assert first == checked_hits(3)
    assert first != checked_hits(4)
    assert 140 < len(first) < 260


def test_an_object_changed_by_its_user_is_found() -> None:
    cache = PhaseCache({"s": []}, verify=1.0)
    pool = cache.get("s", 0, lambda: np.zeros(3))
    pool[1] = 5
    with pytest.raises(StaleValueError, match="changed in place"):
        cache.get("s", 0, lambda: np.zeros(3))


def test_statistics_count_time_with_the_clock_given() -> None:
    ticks = count(0, 10)
    cache = PhaseCache({"s": ["turn"]}, clock_ns=lambda: next(ticks))
    for _ in range(10):
        cache.get("s", "key", lambda: 1)
    cache.bump("turn")
    statistics = cache.statistics()["s"]
    assert (statistics.hits, statistics.misses, statistics.entries, statistics.dropped) == (9, 1, 0, 1)
    assert statistics.hit_share == 0.9
    # One compute of 10 ns; one lookup in 64 is timed, so 10 ns stand for each of the 10 lookups.
    assert (statistics.compute_ns, statistics.key_ns) == (10, 100)
    assert statistics.saved_ns == 9 * 10 - 100
    assert PhaseCache({"s": []}).statistics()["s"].hit_share == 0.0


def test_a_decorated_function_is_cached_by_its_arguments() -> None:
    cache = PhaseCache({"sight": ["walls"]})
    calls = []

    @cache.cached("sight")
    def sees(a: int, b: int, *, far: bool = False) -> str:
        """Whether a sees b."""
        calls.append((a, b, far))
        return f"{a}-{b}-{far}"

    assert [sees(1, 2), sees(1, 2), sees(1, 2, far=True), sees(1, 2, far=True)] == ["1-2-False"] * 2 + [
        "1-2-True"
    ] * 2
    assert calls == [(1, 2, False), (1, 2, True)]
    assert sees.__doc__ == "Whether a sees b."
    cache.bump("walls")
    sees(1, 2)
    assert len(calls) == 3


def test_a_key_function_chooses_what_counts_and_its_cost_is_counted() -> None:
    ticks = count(0, 10)
    cache = PhaseCache({"sight": []}, clock_ns=lambda: next(ticks))
    calls = []

    @cache.cached("sight", key=lambda a, b: (min(a, b), max(a, b)))
    def sees(a: int, b: int) -> bool:
        calls.append((a, b))
        return True

    assert sees(1, 2)
    assert sees(2, 1)
    assert calls == [(1, 2)]
    # Making the key and looking it up took one tick each in the one call that was timed.
    assert cache.statistics()["sight"].key_ns == 2 * 20


def test_a_full_scope_drops_its_oldest_entry() -> None:
    cache = PhaseCache({"s": []}, max_entries=2)
    for key in (1, 2, 3):
        cache.get("s", key, lambda: None)
    calls = []
    for key in (3, 2, 1):
        cache.get("s", key, lambda key=key: calls.append(key))  # type: ignore[misc]
    assert calls == [1]
    assert cache.statistics()["s"].dropped == 2


def test_a_value_bumped_while_it_is_computed_is_not_kept() -> None:
    cache = PhaseCache({"s": ["turn"]})

    def compute() -> int:
        cache.bump("turn")
        return 1

    assert cache.get("s", 0, compute) == 1
    assert cache.statistics()["s"].entries == 0


def test_a_value_may_not_outlive_what_it_is_computed_from() -> None:
    cache = PhaseCache({"sight": ["walls"], "targets": ["positions"], "plan": ["positions", "walls"]})
    inner = lambda: cache.get("sight", 0, lambda: 1)  # noqa: E731
    assert cache.get("plan", 0, inner) == 1
    with pytest.raises(
        MissingDependencyError, match=r"(?s)'targets' is computed from scope 'sight'.*declare walls"
    ):
        cache.get("targets", 0, inner)
    # The failed computation must not leave the cache believing that it still computes.
    assert cache.get("sight", 1, lambda: 2) == 2


def test_a_failing_computation_caches_nothing() -> None:
    cache = PhaseCache({"s": []})
    with pytest.raises(ZeroDivisionError):
        cache.get("s", 0, lambda: 1 / 0)
    assert cache.get("s", 0, lambda: 2) == 2


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), True),
        (np.array([1.0]), np.array([1.0], np.float32), False),
        (np.array([1]), [1], False),
        (np.zeros(2), np.zeros(3), False),
        ((1, np.zeros(2)), (1, np.zeros(2)), True),
        ((1, np.zeros(2)), (1, np.ones(2)), False),
        ([1, 2], [1, 2, 3], False),
        ([1], (1,), False),
        ({"a": np.zeros(1)}, {"a": np.zeros(1)}, True),
        ({"a": 1}, {"b": 1}, False),
        (float("nan"), float("nan"), True),
        ({1, 2}, {2, 1}, True),
        (np.array(["a"]), np.array(["a"]), True),
    ],
)
def test_same_value(first: Any, second: Any, same: bool) -> None:
    assert same_value(first, second) is same


def test_unknown_names_answer_with_the_closest() -> None:
    cache = PhaseCache({"targets": ["positions"]})
    with pytest.raises(KeyError, match=r"no scope depends on 'position'.*did you mean 'positions'"):
        cache.bump("position")
    with pytest.raises(KeyError, match=r"unknown scope 'target'.*did you mean 'targets'"):
        cache.get("target", 0, lambda: 1)
    with pytest.raises(KeyError, match="unknown scope"):
        cache.cached("nothing")


def test_bad_options_are_refused() -> None:
    with pytest.raises(ValueError, match="verify is a share"):
        PhaseCache({}, verify=2)
    with pytest.raises(ValueError, match="max_entries must be at least 1"):
        PhaseCache({}, max_entries=0)
    with pytest.raises(TypeError, match=r"(?s)dependencies are a list of names.*\['walls'\]"):
        PhaseCache({"sight": "walls"})
