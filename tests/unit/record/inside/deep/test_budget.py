"""The account of the windows: what they may cost, what they did cost, and how a debt is paid."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.inside.deep.budget import (
    FIRST_FACTOR,
    LEAST_SHARE,
    MOST_AT_ONCE,
    OF_SEVERAL,
    RUN_SHARE,
    SHARE,
    SHORTEST_RUN_NS,
    Account,
    waited_ns,
)
from goldsplit.record.inside.deep.call_watch import ALL, CHOSEN, STEP, Watch

MS = 1_000_000


def with_plain(segments: int = 10, work_ns: int = 10 * MS) -> Account:
    account = Account()
    for _ in range(segments):
        account.add_plain(STEP, work_ns)
    return account


def thread(waited: int) -> Any:
    return SimpleNamespace(nodes=[SimpleNamespace(stage="wait", total_ns=waited)])


def test_a_thread_that_waits_has_less_to_spend() -> None:
    account, state = Account(), thread(7000 * MS)
    account.begin(1000 * MS, [state])
    account.see_waiting(state, 1400 * MS, 7300 * MS)
    assert account.work_share == pytest.approx(0.25)
    assert account.due_ns(400 * MS) == pytest.approx(SHARE * 100 * MS)
    account.see_waiting(state, 1400 * MS, 9000 * MS)
    assert account.work_share == LEAST_SHARE


def test_the_run_bounds_what_its_windows_may_cost_together() -> None:
    account = with_plain(segments=1000)
    begun, now = 1000 * MS, 1000 * MS + 3 * SHORTEST_RUN_NS
    account.begin(begun, [])
    assert account.run_left_ns(begun) == pytest.approx(RUN_SHARE * SHORTEST_RUN_NS)
    account.turning_ns = 20 * MS
    left = 3 * RUN_SHARE * SHORTEST_RUN_NS - 20 * MS
    assert account.run_left_ns(now) == pytest.approx(left)
    account.close_window(int((left - 5 * MS) / FIRST_FACTOR))
    account.open_window(now, 400 * MS)
    assert account.budget_ns(0.0) == pytest.approx(5 * MS, rel=0.01)
    assert account.budget_ns(50 * MS) == pytest.approx(5 * MS, rel=0.01)


def test_one_of_several_processes_may_spend_less() -> None:
    account = Account()
    account.begin(1000 * MS, [])
    account.is_one_of_several = True
    assert account.run_left_ns(1000 * MS) == pytest.approx(OF_SEVERAL * RUN_SHARE * SHORTEST_RUN_NS)


def test_turning_a_window_costs_nothing_while_the_thread_waits() -> None:
    account, state = Account(), thread(0)
    account.begin(0, [state])
    account.turning_ns = 40 * MS
    account.see_waiting(state, 400 * MS, 300 * MS)
    account.beats_ns = 3 * MS
    assert account.cost_ns() == pytest.approx(13 * MS)


def test_the_factor_is_learnt_from_segments_that_were_looked_at() -> None:
    account = with_plain()
    assert account.factor() == FIRST_FACTOR
    for _ in range(100):
        account.add_looked(STEP, 40 * MS, clocked_ns=10 * MS)
    account.close_window(1000 * MS)
    assert account.factor() == pytest.approx(3.0, rel=0.02)


def test_without_plain_segments_the_guess_stands() -> None:
    account = Account()
    account.add_looked(STEP, 40 * MS, clocked_ns=1 * MS)
    account.close_window(1 * MS)
    assert account.factor() == FIRST_FACTOR


def test_spending_too_much_is_a_debt_that_plain_work_pays() -> None:
    account = with_plain()
    account.close_window(50 * MS)
    owed = account.saved_ns()
    assert owed < 0
    for _ in range(100):
        account.add_plain(STEP, 10 * MS)
    assert account.saved_ns() == pytest.approx(owed + SHARE * 1000 * MS, rel=0.05)


def test_one_window_gets_little_more_than_its_due_but_a_whole_segment_if_that_was_saved() -> None:
    account = Account()
    account.open_window(0, 300 * MS)
    due = account.due_ns(300 * MS)
    account.run_left_at_open_ns = 20 * due
    for saved, whole, budget in ((10, 0, MOST_AT_ONCE), (10, 3, 3), (-1, 3, 0)):
        account.saved_at_open_ns = saved * due
        assert account.budget_ns(whole * due) == pytest.approx(budget * due)


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
