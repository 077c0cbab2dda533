"""Functions that were watched for the whole run, put together over processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.deep.all_processes import deep_look
from goldsplit.analyse.deep.compared_calls import shared_argument
from goldsplit.analyse.deep.watched import watched_functions
from goldsplit.model.deep_files.deep_record import ArgumentGroup, WatchedRecord
from goldsplit.model.recording import ProcessId, ThreadKey
from goldsplit.store.deep_rows import read_watched_line

SECOND = 1_000_000_000
COMPARED = {
    "calls": 300,
    "ns": 1000,
    "repeats": 100,
    "in_step": 5,
    "differing": 0,
    "repeat_ns": 800,
    "distinct": 200,
    "results": 1,
    "result": "True",
    "mutated": 0,
    "by_identity": False,
    "hashable": True,
    "groups": [[1, 400, 40, 10, 10, 9], [2, 400, 200, 10, 10, 9]],
}


def row(name: str = "Game.sight", calls: int = 1000, **more: Any) -> dict[str, Any]:
    return {
        "at": ["/game/env.py", 10, name],
        "kind": "method",
        "stage": "env.step",
        "rank": 0,
        "ns": 10 * SECOND,
        "steps": [100.0, 0.0],
        "calls": calls,
        "timed": [calls, 2 * SECOND, SECOND],
        "callers": [[["/game/env.py", 50, "Game.step"], 30], [["/game/env.py", 70, "Game.mask"], 10]],
        "compared": COMPARED,
    } | more


def record(*rows: dict[str, Any], **more: Any) -> WatchedRecord:
    line = {"t": 0, "end": 10 * SECOND, "spent": SECOND // 10, "threads": 1, "functions": list(rows)}
    return read_watched_line(line | more)


def test_counts_times_and_callers() -> None:
    (found,) = watched_functions([record(row())])
    assert (found.calls, found.calls_per_env_step, found.env_steps) == (1000, 10.0, 100.0)
    assert (found.total_share, found.self_share) == (0.2, 0.1)
    assert (found.inclusive_us, found.self_us) == (2000.0, 1000.0)
    assert [(place.function, share) for place, share in found.callers] == [
        ("Game.step", 0.75),
        ("Game.mask", 0.25),
    ]
    assert (found.compared, found.constant_result, found.hashable, found.impure) == (300, "True", True, False)
    assert (found.shared_argument, found.groups, found.mean_group) == (1, 40, 10.0)


def test_figures_per_step_need_enough_steps() -> None:
    (found,) = watched_functions([record(row(steps=[19.0, 0.0]))])
    assert found.calls_per_env_step is None
    assert found.env_steps == 19.0


def test_steps_that_driver_and_workers_both_count_count_once() -> None:
    """Two workers with 100 steps each, whose driver counts 200 and calls the function a little, too."""
    driver = record(row(calls=50, steps=[0.0, 200.0], compared=None))
    (found,) = watched_functions([driver, record(row()), record(row())])
    assert found.calls_per_env_step == pytest.approx(2050 / 200)
    idle = record(row(calls=1, steps=[0.0, 200.0], compared=None))
    (found,) = watched_functions([idle, record(row()), record(row())])
    assert found.calls_per_env_step == pytest.approx(10.0)


def test_what_was_not_timed_or_watched_all_the_time_is_scaled() -> None:
    half = row(ns=5 * SECOND, timed=[500, SECOND, SECOND])
    (found,) = watched_functions([record(half)])
    assert found.total_share == pytest.approx(0.4)  # 2 s of 5 s
    (found,) = watched_functions([record(row(timed=[0, 0, 0]))])
    assert (found.total_share, found.inclusive_us) == (0.0, None)


def test_another_result_for_equal_arguments_makes_it_impure() -> None:
    differing = COMPARED | {"differing": 1, "hashable": False}
    (found,) = watched_functions([record(row()), record(row(compared=differing))])
    assert (found.impure, found.hashable) == (True, False)
    (found,) = watched_functions([record(row(compared=COMPARED | {"repeats": 0}))])
    assert found.impure is None


def test_a_damaged_row_costs_itself() -> None:
    found = record(row(), {"at": 3}, row(calls=-1), row("f", steps=["x", 0]))
    assert (len(found.functions), found.damaged) == (1, 3)


def group(place: int, calls: int, groups: int, **more: int) -> ArgumentGroup:
    rest = {"steps": 10, "simple_steps": 10, "values": 9} | more
    return ArgumentGroup(place, calls, groups, **rest)


def test_the_argument_that_is_shared() -> None:
    sources, targets = group(1, 400, 40), group(2, 400, 200)
    assert shared_argument({1: sources, 2: targets}) is sources
    board = group(0, 400, 10, simple_steps=0)
    assert shared_argument({0: board, 1: sources}) is sources
    assert shared_argument({0: board}) is None
    single = group(1, 400, 10)
    assert shared_argument({1: single}) is single
    assert shared_argument({1: group(1, 400, 10, values=1)}) is None
    assert shared_argument({1: group(1, 400, 390)}) is None
    assert shared_argument({}) is None


def test_watched_functions_come_before_those_of_windows(maker: Any, recording: Callable[..., Any]) -> None:
    one = maker(10)
    one.process.watched = record(row())
    found = deep_look(recording(one, end_ns=8 * SECOND), ThreadKey(ProcessId(10), 0))
    assert found is not None
    assert (found.watched, found.watched_env_steps, found.windows) == (1, 100, 0)
    assert found.seconds <= 8.0  # never more than the run
    assert found.run_share == pytest.approx(0.1 / 8)


def test_the_size_of_a_group_is_explained_by_what_was_seen() -> None:
    """732 calls for 77 values are 9.5 calls each, however many calls a whole step has."""
    compared = COMPARED | {"groups": [[1, 732, 77, 12, 12, 10], [2, 732, 120, 12, 12, 10]]}
    (found,) = watched_functions([record(row(calls=10_000, compared=compared))])
    assert (found.groups, found.mean_group) == (77, pytest.approx(732 / 77))
    assert [(one.place, one.calls, one.groups) for one in found.arguments] == [(1, 732, 77), (2, 732, 120)]
