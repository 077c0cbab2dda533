"""Titles of findings in little room: whole clauses, not the beginning of one."""

from __future__ import annotations

import pytest

from goldsplit.report.finding_text import LEAST_TITLE, in_clauses

LONG = "distance_between() is called 19.1 times for each source, once per target: 34 % of wall time"


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (200, LONG),
        (80, "distance_between() is called 19.1 times for each source, once per target"),
        (70, "distance_between() is called 19.1 times for each source"),
    ],
)
def test_whole_clauses_are_kept(most: int, expected: str) -> None:
    assert in_clauses(LONG, most) == expected


def test_one_long_clause_loses_its_end() -> None:
    title = "a" * 100
    assert in_clauses(title, LEAST_TITLE) == "a" * (LEAST_TITLE - 1) + "…"


def test_a_short_first_clause_alone_would_say_too_little() -> None:
    title = "sync: " + "b" * 100
    assert in_clauses(title, 60) == title[:59] + "…"
