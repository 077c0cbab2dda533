"""One function, two sides: its calls are spans of the side that the calling line tells."""

from __future__ import annotations

import sys

import pytest

from goldsplit.model.named_code import TRIED, NamedFunction
from goldsplit.model.stage import ACT, ENV_OPPONENT, ENV_STEP, EVAL, ROLLOUT
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


@pytest.mark.usefixtures("lines")
def test_a_move_that_is_tried_on_a_copy_is_a_step_that_is_not_counted():
    counted = []
    step = both_sides.by_caller(current_stage, ENV_STEP, lambda *args: counted.append(args))
    line = sys._getframe().f_lineno + 3
    lines = NamedFunction(__file__, "f", line, line, ENV_STEP, "", ends_at=TRIED, own_counters=())
    both_sides.remember_lines([lines])
    assert step() == ENV_STEP
    assert not counted
    assert step() == ENV_STEP
    assert len(counted) == 1
    assert not both_sides.is_told_by_lines(ACT)


@pytest.mark.usefixtures("lines")
def test_in_a_turn_of_the_other_side_the_move_is_its_own_and_may_end_the_game():
    counted, ended = [], []
    move = both_sides.by_caller(
        current_stage,
        ENV_STEP,
        lambda *args: counted.append(args),
        after_turn=lambda *args: ended.append(args),
    )
    line = sys._getframe().f_lineno + 4
    turn = NamedFunction(__file__, "f", line, line, ENV_OPPONENT, "", True, own_counters=())
    choice = NamedFunction(__file__, "f", line + 1, line + 1, ENV_OPPONENT, "", own_counters=())
    both_sides.remember_lines([turn, choice])
    assert move() == ENV_OPPONENT
    assert move() == ENV_STEP  # only the choice in it is the other side's
    assert (len(counted), len(ended)) == (1, 1)


@pytest.mark.usefixtures("lines")
def test_what_plays_is_an_evaluation_where_its_line_says_so():
    assert not both_sides.is_told_by_lines(ROLLOUT)
    play = both_sides.by_caller(current_stage, ROLLOUT, usual=current_stage)
    line = sys._getframe().f_lineno + 4
    tested = NamedFunction(__file__, "f", line, line, EVAL, "", True, own_counters=())
    both_sides.remember_lines([tested])
    assert both_sides.is_told_by_lines(ROLLOUT)
    assert play() == EVAL
    assert play() != EVAL
