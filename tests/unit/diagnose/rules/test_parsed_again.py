"""Unchanged files that are read again: by facts of hooks, and samples of the function that reads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.parsed_again import RULE
from goldsplit.model.hot_code.source_look import SourceLook


def read(
    make: SimpleNamespace, function: str = "load_map", count: int = 300, **changes: Any
) -> SimpleNamespace:
    """A run in which a function reads at its line 12; `loops`, `withs`: lines of the function."""
    cost = make.function_cost(function, 0.3, stages={"env.reset": 0.3}, lines={12: 0.05, 13: 0.2, 20: 0.05})
    look = SourceLook(loops={cost.key: changes.pop("loops", ())}, withs={cost.key: changes.pop("withs", ())})
    facts = changes.pop("facts", None) or [
        make.fact("parsed", "file island.map", count, place=make.place(12, function))
    ]
    source = look if changes.pop("source", True) else SourceLook()
    return make.profile({"env.reset": 0.4, "act": 0.3}, facts=facts, functions=[cost], source=source)


def test_a_function_that_loads_is_saved_whole(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, read(make, loops=((14, 19),)))
    assert found.share == pytest.approx(0.3)
    assert found.stage == "env.reset"
    assert "island.map 300 times" in found.title
    assert found.ceiling_speedup == pytest.approx(1 / 0.7)


def test_of_a_function_that_plays_only_the_lines_that_read_are(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, read(make, "Game.reset", withs=((12, 13),)))
    assert found.share == pytest.approx(0.25)
    (bare,) = make.found(RULE, read(make, "Game.reset"))
    assert bare.share == pytest.approx(0.05)


def test_what_is_read_in_a_loop_of_a_larger_function_is_not_all_of_it(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, read(make, "main_loop", loops=((10, 20),)))
    assert found.share == pytest.approx(0.05)
    (unread,) = make.found(RULE, read(make, source=False))
    assert unread.share == pytest.approx(0.05)


def test_a_file_given_to_a_parser_counts_once(make: SimpleNamespace) -> None:
    place = make.place(12, "load_map")
    facts = [
        make.fact("parsed", "file a.yaml", 80, place=place),
        make.fact("parsed", "yaml", 80, 2.0, place=place),
    ]
    (found,) = make.found(RULE, read(make, facts=facts))
    assert found.evidence["read_again"] == 80


def test_without_samples_the_drivers_clock_tells(make: SimpleNamespace) -> None:
    fact = make.fact("parsed", "json", 500, 20.0, place=make.place(9, "Game.reset"))
    (found,) = make.found(RULE, make.profile({"env.reset": 0.4}, facts=[fact]))
    assert found.share == pytest.approx(0.2)


def test_no_finding(make: SimpleNamespace) -> None:
    assert make.found(RULE, read(make, count=9)) == []
    cheap = make.fact("parsed", "json", 500, 0.5, place=make.place(9, "Game.reset"))
    assert make.found(RULE, make.profile({"env.reset": 0.4}, facts=[cheap])) == []
    nowhere = make.fact("parsed", "file x", 500, place=make.place(9, "other"))
    assert make.found(RULE, make.profile({"env.reset": 0.4}, facts=[nowhere])) == []
