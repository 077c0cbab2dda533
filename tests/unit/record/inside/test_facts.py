"""Facts are counters with names that explain themselves; places are lines of user code."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goldsplit.model.fact_wire import FACT_SEPARATOR
from goldsplit.record.inside import after_import
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.facts import add_fact, users_place


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    ENGINE.forget()
    yield
    ENGINE.forget()


def test_a_fact_is_counted_and_summed() -> None:
    add_fact("message", "sent", 100, place="game.py:3:play")
    add_fact("message", "sent", 50, place="game.py:3:play")
    name = FACT_SEPARATOR.join(("message", "sent", "game.py:3:play"))
    assert ENGINE.state().counts == {f"fact_n:{name}": 2, f"fact_sum:{name}": 150}


def test_the_place_is_the_innermost_user_frame() -> None:
    file, line, function = users_place().rsplit(":", 2)
    assert (file, function) == (__file__, "test_the_place_is_the_innermost_user_frame")
    assert int(line) > 0


def test_library_frames_are_passed_over() -> None:
    seen = []
    ordered = functools.cmp_to_key(lambda a, b: seen.append(users_place()) or 0)  # type: ignore[func-returns-value]
    sorted([2, 1], key=ordered)
    assert seen[0].startswith(f"{__file__}:")


@pytest.fixture
def heavy_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "jax.py").write_text("VALUE = 7\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    yield "jax"
    sys.modules.pop("jax", None)


def test_a_heavy_import_is_timed_at_its_line(heavy_package: str) -> None:
    hooked = []
    after_import.when_imported(heavy_package, hooked.append)
    module = importlib.import_module(heavy_package)
    assert hooked == [module]
    counts = ENGINE.state().counts
    (seconds,) = [value for name, value in counts.items() if name.startswith("fact_sum:import")]
    assert 0 < seconds < 1
    assert any(__file__ in name for name in counts)
