"""Run a function after a module has been imported, without importing anything early."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from threading import get_ident
from types import ModuleType
from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.record.inside.engine import clock
from goldsplit.record.inside.facts import add_fact, users_place
from goldsplit.record.inside.own_failures import harmless

Hook = Callable[[ModuleType], None]
#: Packages that take seconds to import: how long is a fact of each process.
HEAVY = frozenset({"jax", "tensorflow", "torch"})


class _HookingLoader(importlib.abc.Loader):
    """The module's real loader, with hooks run after the module's code."""

    def __init__(self, loader: Any, name: str) -> None:
        self.loader = loader
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self.loader, attribute)  # get_code, get_source, …: whatever the real loader has

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        # The module keeps its real loader, so that resources, pickling and reloading see nothing of us.
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        begun = clock()
        self.loader.exec_module(module)
        with harmless("timing an import"):
            if self.name in HEAVY:
                add_fact(FactKind.IMPORT, self.name, (clock() - begun) / 1e9, place=users_place())
        run_hooks(module, _FINDER.waiting.pop(self.name, []))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds only modules that a hook waits for, by asking the finders after it."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[Hook]] = {}
        self.searching: set[tuple[int, str]] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        search = (get_ident(), name)
        if name not in self.waiting or search in self.searching:
            return None
        self.searching.add(search)
        try:
            return self._ask_the_others(name, path, target)
        finally:
            self.searching.discard(search)

    def _ask_the_others(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> importlib.machinery.ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    # Finding is not importing: the hooks stay until the module's code has run.
                    spec.loader = _HookingLoader(spec.loader, name)
                return spec
        return None


_FINDER = _Finder()


def run_hooks(module: ModuleType, hooks: list[Hook]) -> None:
    """Run hooks on a module; one that fails leaves a note in the recording and nothing else."""
    for hook in hooks:
        with harmless(f"the hook {getattr(hook, '__qualname__', hook)}"):
            hook(module)


def when_imported(name: str, hook: Hook) -> None:
    """Run `hook(module)` right after the module's import, or now if it is there already."""
    module = sys.modules.get(name)
    if module is not None:
        run_hooks(module, [hook])
        return
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    _FINDER.waiting.setdefault(name, []).append(hook)
