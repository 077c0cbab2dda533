"""One function, two sides: its calls are spans of the side that the calling line tells."""

from __future__ import annotations

import sys

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ACT, ENV_OPPONENT, ENV_STEP, EVAL
from goldsplit.record.inside.core import this_thread
from goldsplit.record.inside.hooks import both_sides


@pytest.fixture
def lines(monkeypatch):
    monkeypatch.setattr(both_sides, "_lines", {})


def current_stage() -> str:
    return str(this_thread().current.stage)


@pytest.mark.usefixtures("lines")
def test_the_line_of_the_call_tells_the_side():
    choose = both_sides.by_caller(current_stage, ACT)
    line = sys._getframe().f_lineno + 2
    both_sides.remember_lines([NamedFunction(__file__, "f", line, line, ENV_OPPONENT, "", own_counters=())])
    theirs = choose()
    mine = choose()
    assert (mine, theirs) == (ACT, ENV_OPPONENT)
    assert [choose() for _ in range(2)] == [ACT, ACT]


@pytest.mark.usefixtures("lines")
def test_whole_functions_and_other_stages_are_no_such_lines():
    both_sides.remember_lines(
        [
            NamedFunction(__file__, "f", 1, 9, ENV_OPPONENT, ""),
            NamedFunction(__file__, "f", 1, 9, ACT, "", own_counters=()),
        ]
    )
    assert not both_sides.is_told_by_lines(ACT)


@pytest.mark.usefixtures("lines")
def test_a_step_in_the_lines_of_an_evaluation_is_not_counted():
    counted = []
    step = both_sides.by_caller(current_stage, ENV_STEP, lambda *args: counted.append(args))
    line = sys._getframe().f_lineno + 2
    both_sides.remember_lines([NamedFunction(__file__, "f", line, line, EVAL, "", own_counters=())])
    assert step() == EVAL
    assert step() == ENV_STEP
    assert len(counted) == 1
    assert both_sides.is_told_by_lines(ENV_STEP)
