"""A hook that cannot be installed leaves out its own spans only."""

from __future__ import annotations

import pytest

from goldsplit.record.inside import hooks
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.hooks import libraries


def broken(*_: object) -> None:
    raise RuntimeError("this hook is broken")


def test_those_after_it_are_installed(state: ThreadState, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for hook in (hooks.mapping, hooks.named_functions, *hooks._WITHOUT_STAGES):
        name = hook.__name__.rpartition(".")[2]
        monkeypatch.setattr(hook, "install", lambda *_, name=name: done.append(name))
    for hook in (hooks.mapping, hooks.waiting):
        monkeypatch.setattr(hook, "install", broken)
    hooks.install({})
    assert done == [
        *("named_functions", "classes", "coroutines", "processes", "output", "libraries", "torch"),
        "compilers",
    ]
    assert [number for _, number in ENGINE.failures.values()] == [2], "and the report says so"


def test_the_same_among_libraries(state: ThreadState, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for library in libraries._LIBRARIES:
        monkeypatch.setattr(library, "install", lambda name=library.__name__: done.append(name))
    monkeypatch.setattr(libraries.gymnasium, "install", broken)
    libraries.install()
    assert len(done) == len(libraries._LIBRARIES) - 1
