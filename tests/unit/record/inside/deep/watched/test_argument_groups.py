"""Calls of one step that share an argument while another one differs."""

from __future__ import annotations

from typing import Any

from goldsplit.record.inside.deep.watched.argument_groups import MOST_CALLS, ArgumentGroups, is_simple


def key(*values: Any) -> tuple[Any, ...]:
    return tuple((value,) for value in values)


def test_distances_from_some_sources_to_many_targets() -> None:
    groups = ArgumentGroups(0)
    for step in range(3):
        for source in ((step, 0), (step, 1)):
            for target in range(6):
                groups.add(key(source, target))
        groups.end_step()
    assert groups.rows() == [[0, 36, 6, 3, 3, 6], [1, 36, 18, 3, 3, 6]]


def test_equal_calls_count_once_and_few_calls_say_nothing() -> None:
    groups = ArgumentGroups(0)
    for _ in range(20):
        groups.add(key(1, 2))
    groups.end_step()
    assert groups.rows() == []


def test_one_argument_beside_the_object_cannot_be_shared() -> None:
    groups = ArgumentGroups(1)
    for target in range(10):
        groups.add(key("the game", target))
    groups.end_step()
    assert groups.rows() == []


def test_what_was_too_large_to_compare_is_no_argument_to_share() -> None:
    groups = ArgumentGroups(0)
    for target in range(10):
        groups.add(("large", (target,)))
    groups.end_step()
    assert [row[0] for row in groups.rows()] == [1]


def test_a_step_of_very_many_calls_is_kept_in_part() -> None:
    groups = ArgumentGroups(0)
    for target in range(3 * MOST_CALLS):
        groups.add(key(1, target))
    assert len(groups.keys) == MOST_CALLS


def test_positions_and_objects_are_simple_and_lists_are_not() -> None:
    assert is_simple(((1, 2),))
    assert is_simple(("the same", 17))
    assert not is_simple(((list, (1, 2, 3)),))
