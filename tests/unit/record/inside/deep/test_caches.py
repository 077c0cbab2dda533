"""Hits and misses of caches, and what they had forgotten."""

from __future__ import annotations

import functools
import sys
import types
from threading import get_ident
from typing import Any

import pytest

from goldsplit.record.inside.deep.caches import LruCaches, dict_cache_of
from goldsplit.record.inside.deep.call_watch import Watch
from goldsplit.record.inside.deep.sites import Sites


class Sight:
    def __init__(self) -> None:
        self._los_cache: dict[Any, int] = {}

    def line(self, a: int) -> int:
        if a not in self._los_cache:
            self._los_cache[a] = a * a
        return self._los_cache[a]

    def plain(self, a: int) -> int:
        return a

    def forget(self, a: int) -> None:
        board = {}
        board[a] = a
        self._los_cache.clear()

    def through_a_local(self, a: int) -> int:
        known = self._los_cache
        if a not in known:
            known[a] = a
        return known[a]


def ask(cache: Any, owner: Sight, a: int, ns: int) -> None:
    state = cache.begins(owner)
    owner.line(a)
    cache.ends(state, ns)


def test_a_dict_that_grows_has_missed() -> None:
    cache, sight = dict_cache_of(Sight.line.__code__), Sight()
    assert cache is not None
    assert dict_cache_of(Sight.plain.__code__) is None
    for a, ns in ((1, 500), (1, 20), (2, 500)):
        ask(cache, sight, a, ns)
    row = cache.row
    assert (row.hits, row.misses, row.clears, row.repeated) == (1, 2, 0, 0)
    assert (row.hit_ns, row.miss_ns, row.entries) == (20, 1000, 2)


def test_only_functions_that_fill_a_cache_are_asked_about_it() -> None:
    assert dict_cache_of(Sight.through_a_local.__code__) is not None
    assert dict_cache_of(Sight.forget.__code__) is None


def test_a_cleared_dict_computes_again_what_it_knew() -> None:
    cache, sight = dict_cache_of(Sight.line.__code__), Sight()
    assert cache is not None
    ask(cache, sight, 1, 100)
    sight._los_cache.clear()
    ask(cache, sight, 1, 100)
    sight._los_cache = {}
    ask(cache, sight, 1, 100)
    assert (cache.row.clears, cache.row.misses, cache.row.repeated) == (2, 3, 2)


def test_lru_caches_of_the_users_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("users_maps")
    module.__file__ = "/home/someone/users_maps.py"
    real = functools.lru_cache(maxsize=None)(Sight.plain)
    module.distance = real  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "users_maps", module)
    sites = Sites(Watch())
    caches = LruCaches(sites)
    caches.replace()
    sites.watch.ident = get_ident()
    for a in (1, 1, 2):
        assert module.distance(None, a) == a
    module.distance.cache_clear()
    module.distance(None, 1)
    row = caches.rows[Sight.plain.__code__]
    assert (row.hits, row.misses, row.clears, row.repeated) == (1, 3, 1, 1)
    assert module.distance.cache_info().currsize == 1
    sites.restore()
    assert module.distance is real
