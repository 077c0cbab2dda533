"""Functions of the script: found as soon as they are defined."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from goldsplit.record.inside.hooks import script_definitions
from goldsplit.record.inside.hooks.script_definitions import Watched, imports_of

SCRIPT = """
import json
import script_definitions_helper
try:
    from os import path
except ImportError:
    import nothing
def turn():
    import heapq
    return 1
FIRST = turn()
def later():
    return 2
SECOND = later()
for _ in range(3):
    turn()
"""


def test_imports_that_are_made_for_certain() -> None:
    found = list(imports_of(ast.parse(SCRIPT).body))
    assert found == [(2, "json"), (3, "script_definitions_helper"), (5, "os")]


def test_a_target_is_staged_once_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    monkeypatch.delitem(sys.modules, "__mp_main__", raising=False)
    watched = Watched()
    watched.targets = [("turn", lambda owner, path: hasattr(owner, path))]
    watched.look()
    assert watched.targets
    module.turn = 1  # type: ignore[attr-defined]
    watched.look()
    assert not watched.targets


def test_the_first_call_is_seen_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script's own lines are traced from its last import to its last definition."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    (tmp_path / "script_definitions_helper.py").write_text("import decimal\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    monkeypatch.delitem(sys.modules, "__mp_main__", raising=False)
    monkeypatch.setattr(sys, "orig_argv", ["python", str(script)])
    monkeypatch.setattr(script_definitions, "_WATCHED", Watched())
    monkeypatch.setattr(Watched, "poll", lambda self: None)
    calls: list[str] = []

    def stage(owner: ModuleType, path: str) -> bool:
        function: Any = vars(owner).get(path)
        if function is not None:
            setattr(owner, path, lambda: calls.append(path) or function())
        return function is not None

    script_definitions.watch_script({"turn": stage, "later": stage})
    try:
        exec(compile(SCRIPT, str(script), "exec"), vars(module))
        assert sys.gettrace() is None
    finally:
        sys.settrace(None)
        sys.modules.pop("script_definitions_helper", None)
    assert calls == ["turn", "later", "turn", "turn", "turn"]
