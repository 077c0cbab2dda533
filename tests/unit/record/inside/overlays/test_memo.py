"""memo: answers to equal arguments."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from goldsplit.model.fact_wire import FactKind
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.overlays import memo, scopes
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.overlays.memo import KEPT, SPARED, VERIFIED, Memo

Changed = Callable[..., dict[str, float]]


@pytest.fixture(autouse=True)
def _only_this_module_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a method can read is looked up by name in all of the user's modules: those of other tests, which
    happen to be loaded in the same process, must not be among them."""
    monkeypatch.setattr(memo, "is_users_module", lambda name: name == __name__)


def make(options: dict[str, int] | None = None, target: str = "m:f@run", first: int = 0) -> Memo:
    found = Memo(Changes(f"memo:{target}"), target, options or {"verify": 1_000_000})
    found.share.first = first
    found.share._left = 1_000_000  # no call is verified, where a test does not ask for it
    return found


class Board:
    """A game of a test."""

    def __init__(self) -> None:
        self.cells = [1, 2, 3]
        self.calls = 0
        self.unrelated = object()

    def total(self, factor: int) -> int:
        return factor * sum(self.cells)


def test_equal_arguments_get_the_kept_answer(changed: Changed) -> None:
    calls: list[Any] = []

    def sight(cells: list[int], board: Any) -> list[int]:
        calls.append(cells)
        return [*cells, int(board.sum())]

    kept = make().around(sight)
    board = np.arange(4)
    assert kept([1, 2], board) == kept([1, 2], np.arange(4)) == [1, 2, 6]
    assert kept([1, 2], board + 1) == [1, 2, 10]
    assert len(calls) == 2
    assert changed() == {SPARED: 1}
    assert changed(FactKind.OVERLAY_SAW) == {KEPT: 2}


def test_what_the_caller_does_to_an_answer_stays_with_it() -> None:
    kept = make().around(lambda n: [n, [n], np.zeros(2)])
    for _ in range(3):
        answer = kept(1)
        assert answer[1] == [1]
        assert answer[2].tolist() == [0, 0]
        answer[1].append(5)
        answer[2] += 1


def test_a_method_is_asked_again_when_what_it_reads_has_changed(changed: Changed) -> None:
    kept = make().around(Board.total)
    board = Board()
    assert kept(board, 2) == 12
    board.unrelated = object()
    assert kept(board, 2) == 12
    board.cells.append(4)
    assert kept(board, 2) == 20
    assert changed() == {SPARED: 1}


def test_keyword_arguments_count() -> None:
    kept = make().around(lambda a, b=1: a + b)
    assert kept(1, b=2) == kept(1, b=2) == 3
    assert kept(1, b=3) == 4


def test_a_scope_forgets(changed: Changed) -> None:
    kept = make(target="m:f@step").around(lambda n: n + 1)
    kept(1)
    kept(1)
    scopes.end_step()
    kept(1)
    assert changed() == {SPARED: 1}
    episodes = make(target="m:g@episode").around(lambda n: n + 1)
    episodes(1)
    scopes.end_step()
    episodes(1)
    scopes.end_episode()
    episodes(1)
    assert changed() == {SPARED: 2}


def test_an_impure_function_is_stopped_with_key_and_both_values(stopped: type[BaseException]) -> None:
    answers = iter(range(100))
    kept = make(first=20).around(lambda place: next(answers))
    assert kept((1, 2)) == 0
    with pytest.raises(stopped, match=r"m:f with \(\(1, 2\),\) gives 1, but the kept answer was 0"):
        kept((1, 2))


def test_the_first_ones_and_then_a_share_are_verified(changed: Changed) -> None:
    kept = Memo(Changes("memo:m:f@run"), "m:f@run", {}).around(lambda n: n)
    for _ in range(4021):
        kept(7)
    verified = changed(FactKind.OVERLAY_SAW)[VERIFIED]
    assert 20 + 150 <= verified <= 20 + 250
    assert changed()[SPARED] + verified + 1 == 4021


def test_one_that_changes_its_arguments_is_left_alone(changed: Changed) -> None:
    def push(stack: list[int]) -> int:
        stack.append(1)
        return 0

    kept = make().around(push)
    stack: list[int] = []
    for _ in range(5):
        kept(stack)
    assert len(stack) == 5
    assert changed() == {}
    assert "changes its arguments" in ENGINE.events[-1]["text"]


def test_what_cannot_be_compared_is_computed(changed: Changed) -> None:
    kept = make().around(lambda stream: next(stream))
    stream = iter("abc")
    assert [kept(stream) for _ in range(3)] == ["a", "b", "c"]
    assert changed() == {}


def test_errors_of_the_program_pass() -> None:
    kept = make().around(lambda n: 1 // n)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            kept(0)


def test_a_failure_of_ours_ends_the_overlay_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Memo, args: Any, kwargs: Any) -> Any:
        raise KeyError("ours")

    monkeypatch.setattr(Memo, "key", fail)
    kept = make().around(lambda n: n + 1)
    assert [kept(1), kept(1)] == [2, 2]
    assert ENGINE.failures


def test_it_can_be_sent_to_a_worker() -> None:
    memo._BY_TEXT.clear()
    sent = memo._again("memo:m:f@run,verify=3")
    assert pickle.loads(pickle.dumps(sent)) is sent
