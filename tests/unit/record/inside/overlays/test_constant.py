"""constant: one answer for ever."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.overlays.constant import SPARED, Constant

Changed = Callable[..., dict[str, float]]


def make(after: int = 5, verify: int = 1_000_000) -> Constant:
    found = Constant(Changes("constant:m:f"), "m:f", {"after": after, "verify": verify})
    found.share._left = 0 if verify == 1 else 1_000_000
    return found


def test_after_enough_equal_answers_it_is_not_called(changed: Changed) -> None:
    calls: list[int] = []

    def visible(cell: int) -> list[int]:
        calls.append(cell)
        return [1, 2]

    kept = make().around(visible)
    answers = [kept(n) for n in range(9)]
    assert len(calls) == 5
    assert answers == [[1, 2]] * 9
    answers[-1].append(3)
    assert kept(9) == [1, 2]
    assert changed() == {SPARED: 5}


def test_one_other_answer_before_that_and_nothing_changes(changed: Changed) -> None:
    kept = make().around(lambda n: n < 4)
    assert [kept(n) for n in range(9)] == [True] * 4 + [False] * 5
    assert changed() == {}
    assert "its answer is not constant" in ENGINE.events[-1]["text"]


def test_a_float_is_no_int_and_true_is_not_one(changed: Changed) -> None:
    answers = iter([1, 1.0, True])
    kept = make(after=2).around(lambda: next(answers))
    assert [kept(), kept(), kept()] == [1, 1.0, True]
    assert changed() == {}


def test_another_answer_later_stops_the_run(stopped: type[BaseException]) -> None:
    kept = make(after=3, verify=1).around(lambda n: n >= 6)
    assert not any(map(kept, range(6)))
    with pytest.raises(stopped, match=r"m:f with \(6,\) gives True, but the kept answer was False"):
        kept(6)


def test_answers_that_cannot_be_compared(changed: Changed) -> None:
    kept = make(after=1).around(lambda: iter("a"))
    assert [next(kept()), next(kept())] == ["a", "a"]
    assert changed() == {}
