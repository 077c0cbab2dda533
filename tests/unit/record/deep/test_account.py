"""The account of the windows: what they may cost, what they did cost, and how a debt is paid."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.deep.account import FIRST_FACTOR, MOST_AT_ONCE, SHARE, Account, budget_ns, waited_ns
from goldsplit.record.deep.watch import ALL, CHOSEN, STEP, Watch

MS = 1_000_000


def with_plain(segments: int = 10, work_ns: int = 10 * MS, wall_ns: int = 40 * MS) -> Account:
    account = Account()
    for _ in range(segments):
        account.add_plain(STEP, work_ns, wall_ns)
    return account


def test_a_thread_that_waits_has_less_to_spend() -> None:
    assert with_plain().due_ns(400 * MS) == pytest.approx(SHARE * 100 * MS)


def test_before_anything_is_known_the_guess_is_careful_and_a_window_overrules_it() -> None:
    account = Account()
    account.guess_work_share(-3.0)
    assert account.work_share == pytest.approx(0.2)
    account.add_plain(STEP, 30 * MS, 40 * MS)
    account.guess_work_share(0.1)
    assert account.work_share == pytest.approx(0.75)


def test_the_factor_is_learnt_from_segments_that_were_looked_at() -> None:
    account = with_plain()
    assert account.factor() == FIRST_FACTOR
    for _ in range(100):
        account.add_looked(STEP, 40 * MS, 70 * MS, clocked_ns=10 * MS)
    account.close_window(1000 * MS)
    assert account.factor() == pytest.approx(3.0, rel=0.02)


def test_without_plain_segments_the_guess_stands() -> None:
    account = Account()
    account.add_looked(STEP, 40 * MS, 40 * MS, clocked_ns=1 * MS)
    account.close_window(1 * MS)
    assert account.factor() == FIRST_FACTOR


def test_spending_too_much_is_a_debt_that_plain_work_pays() -> None:
    account = with_plain()
    account.close_window(50 * MS)
    owed = account.saved_ns()
    assert owed < 0
    for _ in range(100):
        account.add_plain(STEP, 10 * MS, 40 * MS)
    assert account.saved_ns() == pytest.approx(owed + SHARE * 1000 * MS, rel=0.05)


def test_one_window_gets_little_more_than_its_due_but_a_whole_segment_if_that_was_saved() -> None:
    account = with_plain()
    due = account.due_ns(400 * MS)
    assert budget_ns(account, 10 * due, 400 * MS, 0.0) == pytest.approx(MOST_AT_ONCE * due)
    assert budget_ns(account, 10 * due, 400 * MS, 3 * due) == pytest.approx(3 * due)
    assert budget_ns(account, -due, 400 * MS, 3 * due) == pytest.approx(0.0)


def test_what_a_whole_segment_costs_is_told_by_parts_of_it() -> None:
    account = Account()
    account.add_seen(ALL, 0.5, 3 * MS)
    assert account.whole_ns(ALL) == pytest.approx(FIRST_FACTOR * 6 * MS)
    assert account.whole_ns(CHOSEN) == 0.0


def test_only_waiting_stages_are_waiting() -> None:
    nodes = [SimpleNamespace(stage=stage, total_ns=5) for stage in ("vec.wait", "env.step", "wait")]
    state: Any = SimpleNamespace(nodes=nodes)
    assert waited_ns(state) == 10


def test_a_new_price_of_events_does_not_change_what_was_spent() -> None:
    watch = Watch()
    watch.events = 1000
    before = watch.spent_ns()
    watch.price_events(700)
    assert watch.spent_ns() == before
    watch.events += 1
    assert watch.spent_ns() == before + 700
