"""Which calls repeat, whether they return the same, and whether they change their arguments."""

from __future__ import annotations

from typing import Any

import pytest

from goldsplit.record.inside.deep.watched.compare import (
    ENOUGH_TO_TELL,
    MOST_REMEMBERED,
    MUTATION_EVERY,
    Comparison,
    names_within_reach,
)


def called(comparison: Comparison, arguments: list[Any], result: Any, ns: int = 100, step: int = 1) -> None:
    comparison.ends(comparison.begins(arguments, step), result, ns)


def plain(a: Any, b: Any = 0) -> None:
    """A function to compare calls of."""


def test_repeats_are_counted_with_their_cost() -> None:
    comparison = Comparison(plain.__code__)
    for value in (1, 2, 1, 1):
        called(comparison, [value], value * 2)
    assert (comparison.compared, comparison.repeats, comparison.repeat_ns) == (4, 2, 200)
    assert (comparison.differing, comparison.distinct, len(comparison.results)) == (0, 2, 2)


@pytest.mark.parametrize(
    ("arguments", "results", "expected"),
    [
        (range(100), range(100), False),
        (range(100), [True] * 100, True),
        (range(100), [None] * 100, False),
        ([n % 30 for n in range(100)], [n % 30 for n in range(100)], True),
        ([n % 30 for n in range(100)], range(100), False),
    ],
    ids=["nothing in common", "one answer", "for its effect", "repeats", "repeats that differ"],
)
def test_what_has_nothing_in_common_promises_nothing(arguments: Any, results: Any, expected: bool) -> None:
    comparison = Comparison(plain.__code__)
    for argument, result in zip(arguments, results, strict=True):
        assert comparison.is_promising() or comparison.compared >= ENOUGH_TO_TELL
        called(comparison, [argument], result)
    assert comparison.is_promising() == expected


def test_repeats_within_a_step_and_across_steps() -> None:
    comparison = Comparison(plain.__code__)
    called(comparison, [1], 1)
    called(comparison, [1], 1)
    called(comparison, [1], 1, step=2)
    assert (comparison.repeats, comparison.repeats_in_step) == (2, 1)


def test_another_result_for_the_same_arguments_is_unsafe_to_cache() -> None:
    comparison = Comparison(plain.__code__)
    for answer in (1, 2, 2):
        called(comparison, ["same"], answer)
    assert (comparison.repeats, comparison.differing) == (2, 1)


def test_what_cannot_be_compared_is_not_counted_as_equal() -> None:
    comparison = Comparison(plain.__code__)
    called(comparison, [object], 1)
    for _ in range(3):
        called(comparison, [iter(())], 1)
    called(comparison, [1], iter(()))
    assert (comparison.compared, comparison.repeats) == (4, 0)


def test_objects_that_are_too_large_tell_calls_apart_but_never_repeat() -> None:
    """The answers count: one that is always the same is found however large the arguments are."""
    comparison = Comparison(plain.__code__)
    comparison.names = None
    units = [Large() for _ in range(12)]
    for unit in (*units, *units):
        called(comparison, [unit, 1], True)
    assert (comparison.compared, comparison.distinct, comparison.repeats) == (24, 12, 0)
    assert comparison.result_text == "True"


def test_what_is_remembered_has_a_limit() -> None:
    comparison = Comparison(plain.__code__)
    for number in range(2 * MOST_REMEMBERED):
        called(comparison, [number], 1)
    assert len(comparison.seen) < MOST_REMEMBERED
    assert comparison.distinct == 2 * MOST_REMEMBERED


def test_whether_arguments_could_be_keys() -> None:
    comparison = Comparison(plain.__code__)
    assert comparison.hashable is None
    called(comparison, [(1, 2), "a"], 1)
    assert comparison.hashable is True
    for _ in range(MUTATION_EVERY):
        called(comparison, [(1, [2])], 1)
    assert comparison.hashable is False


def test_a_call_that_changes_its_argument_is_seen() -> None:
    comparison = Comparison(plain.__code__)
    board = [1]
    call = comparison.begins([board], 1)
    board.append(2)
    comparison.ends(call, None, 100)
    assert comparison.mutated == 1


class Large:
    def __init__(self) -> None:
        self.cells = list(range(5000))

    def count(self, n: int) -> int:
        return n + len(self.cells)


def test_an_object_that_is_too_large_is_compared_by_identity() -> None:
    comparison = Comparison(Large.count.__code__)
    comparison.names = None
    one, other = Large(), Large()
    for owner in (one, one, other):
        called(comparison, [owner, 1], 3)
    assert comparison.by_identity
    assert comparison.repeats == 1


def test_an_expensive_comparison_falls_back_to_identity_and_then_gives_up() -> None:
    comparison = Comparison(Large.count.__code__)
    for _ in range(2):
        comparison.calls, comparison.key_ns, comparison.judged_ns = 50, 50 * 10**6, 50
        comparison.judge()
    assert comparison.by_identity
    assert comparison.given_up


def helper(unit: Any) -> Any:
    return unit.range


def asks_helper(unit: Any) -> Any:
    return unit.position, helper(unit)


def asks_anything(unit: Any) -> Any:
    return getattr(unit, "".join(("a", "b")))


def test_names_reach_through_functions_that_are_called() -> None:
    codes = {"helper": [helper.__code__]}
    reached = names_within_reach(asks_helper.__code__, codes)
    assert reached is not None
    assert {"position", "range"} <= reached
    assert names_within_reach(asks_anything.__code__, codes) is None
