"""Searching for the line that keeps memory, with invented sizes and times."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from goldsplit.model.fact_wire import FACT_SEPARATOR
from goldsplit.record.inside import memory_look
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.memory_look import (
    APART_NS,
    GROWN_BYTES,
    LOOK_NS,
    MOST_LOOKS,
    MemoryLook,
    function_at,
)


@pytest.fixture
def look(state: ThreadState, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryLook]:
    """A look at a process that grows enough at each look."""
    sizes = iter(range(0, 10**12, 2 * GROWN_BYTES))
    monkeypatch.setattr(memory_look, "resident_bytes", lambda: next(sizes))
    ENGINE.first_step_ns = 1
    look = MemoryLook()
    yield look
    look.abandon()


def test_a_growing_process_is_traced_for_a_moment(look: MemoryLook, state: ThreadState) -> None:
    look.tick(0)
    assert not tracemalloc.is_tracing(), "nothing to compare with yet"
    look.tick(APART_NS)
    assert tracemalloc.is_tracing()
    assert look.next_border_ns() == APART_NS + LOOK_NS
    kept = [bytes(50_000) for _ in range(4)]
    look.tick(APART_NS + LOOK_NS)
    assert not tracemalloc.is_tracing()
    sums = {name: value for name, value in state.counts.items() if name.startswith("fact_sum:kept_bytes")}
    here = next(name for name in sums if __file__ in name.split(FACT_SEPARATOR)[2])
    assert here.endswith(":test_a_growing_process_is_traced_for_a_moment")
    assert sums[here] >= sum(map(len, kept))


def test_a_program_that_makes_interpreters_is_not_traced(
    look: MemoryLook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "_interpreters", ModuleType("_interpreters"))
    look.tick(0)
    look.tick(APART_NS)
    assert not tracemalloc.is_tracing()


def test_there_are_a_few_looks_only(look: MemoryLook) -> None:
    for turn in range(20):
        look.tick(turn * APART_NS)
        look.tick(turn * APART_NS + LOOK_NS)
    assert look.looks == MOST_LOOKS
    assert not tracemalloc.is_tracing()


def test_a_process_that_does_not_grow_is_never_traced(
    look: MemoryLook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_look, "resident_bytes", lambda: 10**9)
    for turn in range(5):
        look.tick(turn * APART_NS)
    assert look.looks == 0


def test_a_program_that_traces_itself_is_left_alone(look: MemoryLook) -> None:
    tracemalloc.start()
    try:
        look.tick(0)
        look.tick(APART_NS)
        assert look.looks == 0
    finally:
        tracemalloc.stop()


def test_nothing_before_the_first_step(look: MemoryLook) -> None:
    ENGINE.first_step_ns = 0
    look.tick(0)
    look.tick(APART_NS)
    assert look.looks == 0


def test_names_of_functions_by_line(tmp_path: Path) -> None:
    file = tmp_path / "game.py"
    step = "    def step(self):\n        def inner():\n            return 1\n        return inner()\n"
    file.write_text("import math\nclass Game:\n" + step)
    assert [function_at(str(file), line) for line in (1, 3, 5, 6)] == [
        "",
        "Game.step",
        "Game.step.<locals>.inner",
        "Game.step",
    ]
    assert function_at(str(tmp_path / "gone.py"), 3) == ""
