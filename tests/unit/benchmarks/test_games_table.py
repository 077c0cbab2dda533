"""The table of the games' benchmark: ratios round by round, bars, the floor, and its place in a page."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FILE = Path(__file__).resolve().parents[3] / "benchmarks" / "games_table.py"


@pytest.fixture(scope="module")
def table() -> Any:
    spec = importlib.util.spec_from_file_location("games_table", FILE)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules["games_table"] = module
    spec.loader.exec_module(module)
    return module


TIMES = [[100.0, 300.0, 100.0], [10.0, 30.0, 5.0], [5.0, 15.0, 5.0]]


def twins(table: Any, bar: float) -> list[Any]:
    return [
        table.Twin("plain", lambda: 1),
        table.Twin("fast", lambda: 1, bar=bar),
        table.Twin("the console", lambda: 1, is_floor=True),
    ]


def test_ratios_are_taken_round_by_round(table: Any) -> None:
    plain, fast, floor = table.rows_of("Pong", twins(table, 10), TIMES)
    assert (plain.ratio, fast.ratio, floor.ratio) == (1, 10, 20)
    assert (fast.low, fast.high) == (10, 15)
    assert fast.cpu_us == 10


@pytest.mark.parametrize(("bar", "word"), [(10, "held"), (10.5, "MISSED")])
def test_a_missed_bar_is_said(table: Any, bar: float, word: str) -> None:
    rows = table.rows_of("Pong", twins(table, bar), TIMES)
    assert [row.missed for row in rows] == [False, word == "MISSED", False]
    assert table.as_text(rows).splitlines()[2].split()[-2:] == [f"{bar:g}x", word]


def test_the_floor_is_a_share_of_the_twins_with_a_bar(table: Any) -> None:
    (floor,) = table.floors_of("Pong", twins(table, 10), TIMES)
    assert str(floor) == "Pong: the console takes 50% [50%-75%] of the time of 'fast'"


def test_a_table_is_put_between_the_marks_again_and_again(table: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{table.BEGIN}\nnot measured\n{table.END}\nafter\n")
    rows = table.rows_of("Pong", twins(table, 10), TIMES)
    floors = table.floors_of("Pong", twins(table, 10), TIMES)
    assert table.has_marks(page)
    for _ in range(2):
        table.write_table(page, table.as_markdown(rows, floors, "python benchmarks/games.py"))
    text = page.read_text()
    assert text.startswith(f"before\n{table.BEGIN}\n")
    assert text.endswith(f"{table.END}\nafter\n")
    assert "not measured" not in text
    assert text.count("| Pong | fast | 10.00 | 10.0x [10.0-15.0] | 10x | held |") == 1
    assert "Made by `python benchmarks/games.py`" in text


def test_a_page_without_marks_is_left_alone_and_a_new_one_gets_them(table: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    assert table.has_marks(page)
    table.write_table(page, "| a |\n")
    assert table.has_marks(page)
    page.write_text("a page of somebody")
    assert not table.has_marks(page)
    page.write_text(f"{table.END} {table.BEGIN}")
    assert not table.has_marks(page)
