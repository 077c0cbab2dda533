"""Titles of findings in little room: whole clauses, not the beginning of one."""

from __future__ import annotations

import dataclasses

import pytest

from goldsplit.diagnose.planning import make_plan
from goldsplit.model.report import Report
from goldsplit.report.finding_text import (
    LEAST_TITLE,
    finding_lines,
    first_fix,
    gain,
    headline,
    in_brief,
    in_clauses,
)
from goldsplit.report.plan import PlanRenderer

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


def test_where_nothing_bounds_the_gain_no_ceiling_is_printed(reports: dict[str, Report]) -> None:
    report = reports["deep"]
    first, *others = report.findings
    threads = dataclasses.replace(
        first, share=0.6, ceiling_speedup=None, ceiling_low=None, ceiling_high=None, unbounded=True
    )
    seen = dataclasses.replace(report, findings=(threads, *others))
    assert "gain not bounded by this recording, confidence" in headline(seen)
    text = " ".join(finding_lines(seen.findings[:1], 200))
    assert "at most" not in text
    plan = make_plan(seen.profile, seen.findings)
    written = PlanRenderer().render(seen, plan)
    assert f"| not bounded | not bounded | {threads.effort} |" in written
    assert "with the steps above" not in written, "no sum has a bound if one part has none"
    assert "How fast the run would be is not bounded" in written


def test_next_says_what_the_finding_below_says(reports: dict[str, Report]) -> None:
    """A look at one function: 1.30x at most under Next, and 1.35x in its finding on the same page."""
    report = reports["deep"]
    look = dataclasses.replace(
        report.findings[0], ceiling_speedup=1.30, ceiling_low=1.25, ceiling_high=1.35, pointer=True
    )
    line = first_fix(dataclasses.replace(report, findings=(look,)))
    assert line is not None
    assert ": 1.35x at most." in line.text
    assert gain(look) == "1.35x at most"


REMEDIES = {
    "copy only what is read later (a number, an array), or undo the move": "copy only what is read later",
    "use one thread per process: OMP_NUM_THREADS=1, or two": "use one thread per process",
    "step in the training process: SyncVectorEnv": "step in the training process",
    "compile or parse each text once, where it is read": "compile or parse each text once, where it is read",
    "make the named function cheaper; then step in processes": "make the named function cheaper",
}


@pytest.mark.parametrize(("remedy", "expected"), REMEDIES.items())
def test_the_first_words_of_a_remedy_say_what_to_do(remedy: str, expected: str) -> None:
    assert in_brief(remedy) == expected


def test_a_long_remedy_without_an_end_is_clipped() -> None:
    assert len(in_brief("word " * 60)) <= 70


def test_next_begins_with_the_remedy(reports: dict[str, Report]) -> None:
    """A number alone is no instruction: what it is about is elsewhere, or on no screen at all."""
    report = reports["deep"]
    first = dataclasses.replace(report.findings[0], remedy="keep the results of the turn in a dict; or not")
    line = first_fix(dataclasses.replace(report, findings=(first,)))
    assert line is not None
    assert line.text == "keep the results of the turn in a dict (finding 1, sight.py:120), then check:"
    everywhere = dataclasses.replace(
        first, remedy="use one thread per process: OMP_NUM_THREADS=1", overlays=("threads:1",)
    )
    line = first_fix(dataclasses.replace(report, findings=(everywhere,)))
    assert line is not None
    assert line.text == "use one thread per process (finding 1); this tries it:", "no line has to be changed"
