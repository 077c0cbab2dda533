"""A cache for values that hold until the game changes: strict invalidation, statistics, and a verify mode.

Each *scope* (a kind of value) declares what it depends on; the game says what has changed with ``bump``, and
exactly the scopes that depend on it are emptied. A line of sight that depends on walls survives every move.

    cache = PhaseCache({"line_of_sight": ["walls"], "targets": ["positions", "hit_points", "phase"]})
    pool = cache.get("targets", unit.id, lambda: build_target_pool(state, unit))
    cache.bump("positions")                       # a unit moved: "targets" is empty, "line_of_sight" is not

A forgotten ``bump`` plays a wrong game silently. ``verify=0.01`` recomputes that share of the hits and raises
``StaleValueError`` when the cached value is not what would be computed now; ``verify=1.0`` in the tests.
One cache belongs to one environment in one thread.
"""

from __future__ import annotations

import difflib
import random
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

__all__ = ["MissingDependencyError", "PhaseCache", "ScopeStatistics", "StaleValueError", "same_value"]

P = ParamSpec("P")
T = TypeVar("T")

LOOKUP_TIMED_EVERY = 64
"""Reading a clock costs as much as a lookup, so only one lookup in this many is timed."""

_MISSING: Any = object()


class StaleValueError(RuntimeError):
    """A cached value is not what computing it now gives: a ``bump`` was forgotten, or a dependency."""

    def __init__(self, scope: str, key: Hashable, depends_on: Iterable[str], cached: Any, fresh: Any) -> None:
        self.scope, self.key, self.cached, self.fresh = scope, key, cached, fresh
        super().__init__(
            f"stale value in scope {scope!r} for key {key!r}: cached {cached!r}, computed now {fresh!r}\n"
            f"hint: scope {scope!r} is emptied by bump of {', '.join(sorted(depends_on)) or 'nothing'}; "
            "either one of these changed without a bump, or the value depends on more, or the cached object "
            "was changed in place by its user, or computing it is not deterministic"
        )


class MissingDependencyError(RuntimeError):
    """A value was computed from another scope that is emptied more often, so it would outlive its source."""

    def __init__(self, outer: _Scope, inner: _Scope) -> None:
        missing = ", ".join(sorted(inner.depends_on - outer.depends_on))
        super().__init__(
            f"a value of scope {outer.name!r} is computed from scope {inner.name!r}, which also depends on "
            f"{missing}\nhint: declare {missing} for scope {outer.name!r} too"
        )


class ScopeStatistics(NamedTuple):
    """What a scope did so far, times in nanoseconds.

    ``compute_ns`` was spent on misses and verification, ``key_ns`` on making and looking up keys (estimated
    from one lookup in 64), and ``saved_ns`` is what the hits would have cost to compute, less all of
    ``key_ns``: a negative figure says that the cache costs more than it gives.
    """

    hits: int
    misses: int
    entries: int
    dropped: int
    verified: int
    compute_ns: int
    key_ns: int
    saved_ns: int

    @property
    def hit_share(self) -> float:
        """Share of lookups that were answered from the cache; 0 if there were none."""
        return self.hits / max(self.hits + self.misses, 1)


class _Scope:
    """One kind of value: its entries and its counters."""

    __slots__ = (
        "compute_ns", "depends_on", "dropped", "entries", "generation", "hits", "key_ns", "keys_timed",
        "misses", "name", "verified",
    )  # fmt: skip

    def __init__(self, name: str, depends_on: frozenset[str]) -> None:
        self.name, self.depends_on = name, depends_on
        self.entries: dict[Hashable, Any] = {}
        self.hits = self.misses = self.dropped = self.verified = self.generation = 0
        self.compute_ns = self.key_ns = self.keys_timed = 0

    def empty(self) -> None:
        self.generation += 1
        self.dropped += len(self.entries)
        self.entries.clear()

    def statistics(self) -> ScopeStatistics:
        lookups = self.hits + self.misses
        key_ns = self.key_ns * lookups // max(self.keys_timed, 1)
        mean_compute_ns = self.compute_ns / max(self.misses + self.verified, 1)
        return ScopeStatistics(
            self.hits,
            self.misses,
            len(self.entries),
            self.dropped,
            self.verified,
            self.compute_ns,
            key_ns,
            round(mean_compute_ns * (self.hits - self.verified)) - key_ns,
        )


class PhaseCache:
    """Values by scope and key; see the module. ``scopes`` maps each scope to the names that it depends on.

    ``max_entries`` bounds each scope: the oldest entry leaves. ``equal`` replaces the comparison of
    ``verify``; ``seed`` makes its choice of hits repeatable.
    """

    def __init__(
        self,
        scopes: Mapping[str, Iterable[str]],
        *,
        verify: float = 0.0,
        seed: int = 0,
        max_entries: int | None = None,
        equal: Callable[[Any, Any], bool] | None = None,
        clock_ns: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        if not 0.0 <= verify <= 1.0:
            raise ValueError(f"verify is a share of the hits, 0 to 1, got {verify}")
        if max_entries is not None and max_entries < 1:
            raise ValueError(f"max_entries must be at least 1, got {max_entries}")
        self._scopes = {name: _Scope(name, _names(name, given)) for name, given in scopes.items()}
        self._dependents: dict[str, list[_Scope]] = {}
        for scope in self._scopes.values():
            for name in scope.depends_on:
                self._dependents.setdefault(name, []).append(scope)
        self._verify, self._random = verify, random.Random(seed).random
        self._max_entries = max_entries
        self._equal = equal or same_value
        self._clock_ns = clock_ns
        self._computing: list[_Scope] = []

    def get(self, scope: str, key: Hashable, compute: Callable[[], T]) -> T:
        """The value of ``key``, computed if it is not known. The key holds what the value depends on
        besides what the scope declares."""
        known = self._scopes.get(scope) or self._unknown_scope(scope)
        if self._computing and not known.depends_on <= self._computing[-1].depends_on:
            raise MissingDependencyError(self._computing[-1], known)
        if (known.hits + known.misses) % LOOKUP_TIMED_EVERY:
            value = known.entries.get(key, _MISSING)
        else:
            value = self._timed_lookup(known, key)
        if value is _MISSING:
            return self._compute(known, key, compute)
        known.hits += 1
        if self._verify and self._random() < self._verify:
            self._check(known, key, value, compute)
        return value

    def cached(
        self, scope: str, key: Callable[..., Hashable] | None = None
    ) -> Callable[[Callable[P, T]], Callable[P, T]]:
        """Decorate a function: its arguments are the key, or what ``key`` makes of them."""
        known = self._scopes.get(scope) or self._unknown_scope(scope)

        def decorate(function: Callable[P, T]) -> Callable[P, T]:
            @wraps(function)
            def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
                timed = (known.hits + known.misses) % LOOKUP_TIMED_EVERY == 0
                start_ns = self._clock_ns() if timed else 0
                if key is not None:
                    made: Hashable = key(*args, **kwargs)
                else:
                    made = (args, tuple(sorted(kwargs.items()))) if kwargs else args
                if timed:
                    known.key_ns += self._clock_ns() - start_ns
                return self.get(scope, made, lambda: function(*args, **kwargs))

            return wrapper

        return decorate

    def bump(self, *changed: str) -> None:
        """Say what has changed: every scope that depends on any of it is emptied, and no other."""
        for name in changed:
            if name not in self._dependents:
                known = ", ".join(sorted(self._dependents)) or "none"
                raise KeyError(
                    f"no scope depends on {name!r}; known: {known}{_closest(name, self._dependents)}"
                )
            for scope in self._dependents[name]:
                scope.empty()

    def clear(self) -> None:
        """Empty every scope, as at the start of an episode; the statistics stay."""
        for scope in self._scopes.values():
            scope.empty()

    def statistics(self) -> dict[str, ScopeStatistics]:
        """What each scope did so far."""
        return {name: scope.statistics() for name, scope in self._scopes.items()}

    def _timed_lookup(self, scope: _Scope, key: Hashable) -> Any:
        start_ns = self._clock_ns()
        value = scope.entries.get(key, _MISSING)
        scope.key_ns += self._clock_ns() - start_ns
        scope.keys_timed += 1
        return value

    def _compute(self, scope: _Scope, key: Hashable, compute: Callable[[], T]) -> T:
        generation = scope.generation
        scope.misses += 1
        value = self._timed_compute(scope, compute)
        # A bump while it was computed: nobody knows from which side of the change the value is.
        if scope.generation == generation:
            scope.entries[key] = value
            if self._max_entries is not None and len(scope.entries) > self._max_entries:
                del scope.entries[next(iter(scope.entries))]
                scope.dropped += 1
        return value

    def _check(self, scope: _Scope, key: Hashable, cached: Any, compute: Callable[[], Any]) -> None:
        scope.verified += 1
        fresh = self._timed_compute(scope, compute)
        if not self._equal(cached, fresh):
            raise StaleValueError(scope.name, key, scope.depends_on, cached, fresh)

    def _timed_compute(self, scope: _Scope, compute: Callable[[], T]) -> T:
        self._computing.append(scope)
        start_ns = self._clock_ns()
        try:
            return compute()
        finally:
            scope.compute_ns += self._clock_ns() - start_ns
            self._computing.pop()

    def _unknown_scope(self, scope: str) -> _Scope:
        known = ", ".join(sorted(self._scopes)) or "none"
        raise KeyError(f"unknown scope {scope!r}; known: {known}{_closest(scope, self._scopes)}")


def same_value(first: Any, second: Any) -> bool:
    """Equality for what games cache: arrays by dtype, shape and content, containers by parts, NaN is NaN."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        if type(first) is not type(second) or first.dtype != second.dtype or first.shape != second.shape:
            return False
        return bool(np.array_equal(first, second, equal_nan=first.dtype.kind in "fc"))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(same_value(first[k], second[k]) for k in first)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        same_kind = type(first) is type(second) and len(first) == len(second)
        return same_kind and all(map(same_value, first, second))
    return bool(first == second) or bool(first != first and second != second)


def _names(scope: str, given: Iterable[str]) -> frozenset[str]:
    if isinstance(given, str):
        raise TypeError(f"scope {scope!r}: dependencies are a list of names\nhint: write [{given!r}]")
    return frozenset(given)


def _closest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(name), list(known), n=1)
    return f"\nhint: did you mean {close[0]!r}?" if close else ""
