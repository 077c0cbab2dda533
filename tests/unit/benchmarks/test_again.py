"""When several recordings of one program count as saying the same."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture(scope="module")
def again() -> Any:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec = importlib.util.spec_from_file_location("again", BENCHMARKS / "again.py")
        assert spec is not None
        assert spec.loader is not None
        module: ModuleType = importlib.util.module_from_spec(spec)
        sys.modules["again"] = module
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(BENCHMARKS))


def said(again: Any, finding: str, category: str = "environment") -> Any:
    return again.Said(finding, category, "high", 40, 900)


def test_one_of_five_may_differ(again: Any) -> None:
    same = [said(again, "a")] * 4
    assert again.is_steady([*same, said(again, "b")])
    assert not again.is_steady([*same[:3], said(again, "b"), said(again, "c")])
    assert not again.is_steady([said(again, "a", name) for name in "xxxyy"])
    assert not again.is_steady([]), "nothing was recorded"
    assert not again.is_steady([said(again, "a"), said(again, "b")]), "of two, both must agree"


def test_what_a_report_says_first(again: Any) -> None:
    where = {"file": "/home/me/game.py", "line": 7, "function": "Game.step"}
    report = {
        "stages": [
            {"category": "learning", "wall_share": 0.3},
            {"category": "environment", "wall_share": 0.25},
            {"category": "environment", "wall_share": 0.2},
        ],
        "trust": {"samples": 640},
        "findings": [
            {"code": "x", "where": where, "confidence": "high", "evidence": {"samples_at_place": 44}}
        ],
    }
    assert again.first_said(report) == again.Said("x at game.py Game.step", "environment", "high", 44, 640)
    report["findings"] = []
    assert again.first_said(report) == again.Said("none", "environment", "", None, 640)
