"""The user's own caches: how often they answer, what asking costs, and what they have forgotten.

`functools.lru_cache` objects get a stand-in while a window is open. A dict that a function asks before it
computes is known by its name; if it grew during a call, the call was a miss.
"""

from __future__ import annotations

import dis
import functools
import sys
from threading import get_ident
from types import CodeType, ModuleType
from typing import Any

from goldsplit.record.inside.deep.attributes import own_attribute
from goldsplit.record.inside.deep.call_watch import clock
from goldsplit.record.inside.deep.sites import Sites, copy_names, user_modules
from goldsplit.record.inside.deep.values import KeyMaker, NotComparable
from goldsplit.record.inside.deep.watched.compare import CACHE_NAME

_LRU: Any = type(functools.lru_cache(len))
MOST_KEYS = 5000


class CacheRow:
    """What was seen of one cache, in watched segments."""

    __slots__ = (
        "clears",
        "code",
        "entries",
        "hit_ns",
        "hits",
        "keys",
        "kind",
        "miss_ns",
        "misses",
        "repeated",
        "stage",
    )

    def __init__(self, code: CodeType, kind: str) -> None:
        self.code = code
        self.kind = kind
        self.hits = self.misses = self.clears = self.repeated = 0
        self.hit_ns = self.miss_ns = 0
        self.entries = 0
        self.stage = ""
        self.keys: set[Any] = set()

    def asked(self, now: Any, misses_before: int, taken_ns: int, arguments: list[Any]) -> None:
        """Count a question to an `lru_cache`, from what it tells about itself after the answer."""
        self.entries = now.currsize
        if now.misses > misses_before:
            self.misses += 1
            self.miss_ns += taken_ns
            self.missed(arguments)
        else:
            self.hits += 1
            self.hit_ns += taken_ns

    def missed(self, value: Any) -> None:
        """Remember what was computed: if it is computed again, the cache had forgotten it."""
        try:
            key = KeyMaker(frozenset()).key(value)
        except (NotComparable, RuntimeError):
            return
        if key in self.keys:
            self.repeated += 1
        elif len(self.keys) < MOST_KEYS:
            self.keys.add(key)


class DictCache:
    """The dict that one function asks: an attribute of its object, or a global of its module."""

    __slots__ = ("last", "names", "row")

    def __init__(self, code: CodeType, names: tuple[str, ...]) -> None:
        self.names = names
        self.row = CacheRow(code, "dict")
        self.last: dict[int, tuple[int, int]] = {}
        """By owner: which dict it was and how many entries it had when it was last seen."""

    def begins(self, owner: Any) -> tuple[int, dict[Any, Any], int] | None:
        """The dict as a call finds it."""
        found = self._find(owner)
        if found is None:
            return None
        size = len(found)
        before = self.last.get(id(owner))
        if before is not None and (before[0] != id(found) or size < before[1]):
            self.row.clears += 1
        return id(owner), found, size

    def _find(self, owner: Any) -> dict[Any, Any] | None:
        for name in self.names:
            found = own_attribute(owner, name)
            if type(found) in _DICTS:
                return found  # type: ignore[no-any-return]
        return None

    def ends(self, state: tuple[int, dict[Any, Any], int], elapsed_ns: int) -> None:
        """The dict as the call leaves it."""
        owner, found, before = state
        size = len(found)
        row = self.row
        row.entries = max(row.entries, size)
        self.last[owner] = (id(found), size)
        if len(self.last) > MOST_KEYS:
            self.last.clear()
        if size > before:
            row.misses += 1
            row.miss_ns += elapsed_ns
            row.missed(next(reversed(found)))
        else:
            row.hits += 1
            row.hit_ns += elapsed_ns


_DICTS: tuple[Any, ...] = (dict,)


def dict_cache_of(code: CodeType) -> DictCache | None:
    """A watcher for the caches that a method asks and fills; None if it has none."""
    names = tuple(name for name in code.co_names if CACHE_NAME.search(name) and fills(code, name))
    return DictCache(code, names) if names and code.co_varnames[:1] == ("self",) else None


def fills(code: CodeType, name: str) -> bool:
    """Whether code stores items under an attribute of this name, directly or through a local variable."""
    steps = [(step.opname, step.argval) for step in dis.get_instructions(code)]
    stores = any(opname == "STORE_SUBSCR" for opname, _ in steps)
    for place, (opname, argument) in enumerate(steps):
        if opname.startswith(("LOAD_ATTR", "LOAD_METHOD")) and argument == name:
            after = steps[place + 1 : place + 6]
            if any(near == "STORE_SUBSCR" or what == "setdefault" for near, what in after):
                return True
            if stores and after and after[0][0].startswith("STORE_FAST"):
                return True
    return False


class LruCaches:
    """The `functools.lru_cache` objects of the user's modules and classes."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.rows: dict[CodeType, CacheRow] = {}
        self.stand_ins: dict[int, tuple[Any, Any]] = {}

    def replace(self) -> None:
        """Put stand-ins in place for a window."""
        for module in user_modules():
            for name, value in list(vars(module).items()):
                if isinstance(value, _LRU):
                    self.sites.replace(module, name, self._stand_in(value))
                elif isinstance(value, type) and value.__module__ == module.__name__:
                    self._replace_methods(value)

    def _replace_methods(self, owner: Any) -> None:
        for name, value in list(type.__getattribute__(owner, "__dict__").items()):
            inner = value.__func__ if isinstance(value, staticmethod | classmethod) else value
            if isinstance(inner, _LRU):
                stand_in = self._stand_in(inner)
                if inner is not value:
                    stand_in = type(value)(stand_in)
                self.sites.replace(owner, name, stand_in)

    def _stand_in(self, real: Any) -> Any:
        known = self.stand_ins.get(id(real))
        if known is not None and known[0] is real:
            return known[1]
        code = getattr(real.__wrapped__, "__code__", None)
        if not isinstance(code, CodeType):
            return real
        row = self.rows.setdefault(code, CacheRow(code, "lru_cache"))
        stand_in = self._make(real, row)
        self.stand_ins[id(real)] = (real, stand_in)
        return stand_in

    def _make(self, real: Any, row: CacheRow) -> Any:
        watch, close_call = self.sites.watch, self.sites.close_call
        information = real.cache_info

        def goldsplit_cached(*args: Any, **kwargs: Any) -> Any:
            if watch.ident != get_ident():
                return real(*args, **kwargs)
            begun, lost = clock(), watch.lost_ns
            before = information().misses
            called = clock()
            result = real(*args, **kwargs)
            taken = clock() - called - (watch.lost_ns - lost)
            watch.set_profile(None)
            try:
                row.stage = row.stage or watch.stage()
                row.asked(information(), before, taken, [*args, *kwargs.values()])
            except Exception as error:
                watch.failed(row.asked, error)
            close_call(begun, lost, taken)
            return result

        def cache_clear() -> None:
            row.clears += bool(watch.ident)
            real.cache_clear()

        copy_names(goldsplit_cached, real)
        goldsplit_cached.cache_info = information  # type: ignore[attr-defined]
        goldsplit_cached.cache_clear = cache_clear  # type: ignore[attr-defined]
        goldsplit_cached.cache_parameters = real.cache_parameters  # type: ignore[attr-defined]
        return goldsplit_cached


def kernels_of(modules: list[ModuleType]) -> list[tuple[ModuleType, str, Any]]:
    """Compiled functions that the user's modules know by name."""
    if "numba.core.dispatcher" not in sys.modules:
        return []
    return [
        (module, name, value)
        for module in modules
        for name, value in list(vars(module).items())
        if type(value).__name__ == "CPUDispatcher" and type(value).__module__.startswith("numba.")
    ]
