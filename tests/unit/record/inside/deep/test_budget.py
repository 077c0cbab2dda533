"""The budget of the windows: what they may cost, what they did cost, and how it recovers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.model.wire import ALL, CHOSEN, STEP
from goldsplit.record.inside.deep.budget import (
    FIRST_FACTOR,
    LEAST_SHARE,
    MOST_AT_ONCE,
    OF_SEVERAL,
    RUN_SHARE,
    SHARE,
    SHORTEST_RUN_NS,
    Budget,
    waited_ns,
)
from goldsplit.record.inside.deep.call_watch import Watch

MS = 1_000_000


def with_plain(segments: int = 10, work_ns: int = 10 * MS) -> Budget:
    budget = Budget()
    for _ in range(segments):
        budget.add_plain(STEP, work_ns)
    return budget


def thread(waited: int) -> Any:
    return SimpleNamespace(nodes=[SimpleNamespace(stage="wait", total_ns=waited)])


def test_a_thread_that_waits_has_less_to_spend() -> None:
    budget, state = Budget(), thread(7000 * MS)
    budget.begin(1000 * MS, [state])
    budget.see_waiting(state, 1400 * MS, 7300 * MS)
    assert budget.work_share == pytest.approx(0.25)
    assert budget.share_ns(400 * MS) == pytest.approx(SHARE * 100 * MS)
    budget.see_waiting(state, 1400 * MS, 9000 * MS)
    assert budget.work_share == LEAST_SHARE


def test_the_run_bounds_what_its_windows_may_cost_together() -> None:
    budget = with_plain(segments=1000)
    begun, now = 1000 * MS, 1000 * MS + 3 * SHORTEST_RUN_NS
    budget.begin(begun, [])
    assert budget.run_left_ns(begun) == pytest.approx(RUN_SHARE * SHORTEST_RUN_NS)
    budget.open_close_ns = 20 * MS
    left = 3 * RUN_SHARE * SHORTEST_RUN_NS - 20 * MS
    assert budget.run_left_ns(now) == pytest.approx(left)
    budget.close_window(int((left - 5 * MS) / FIRST_FACTOR))
    budget.open_window(now, 400 * MS)
    assert budget.window_ns(0.0) == pytest.approx(5 * MS, rel=0.01)
    assert budget.window_ns(50 * MS) == pytest.approx(5 * MS, rel=0.01)


def test_one_of_several_processes_may_spend_less() -> None:
    budget = Budget()
    budget.begin(1000 * MS, [])
    budget.is_one_of_several = True
    assert budget.run_left_ns(1000 * MS) == pytest.approx(OF_SEVERAL * RUN_SHARE * SHORTEST_RUN_NS)


def test_opening_and_closing_a_window_costs_nothing_while_the_thread_waits() -> None:
    budget, state = Budget(), thread(0)
    budget.begin(0, [state])
    budget.open_close_ns = 40 * MS
    budget.see_waiting(state, 400 * MS, 300 * MS)
    budget.beats_ns = 3 * MS
    assert budget.cost_ns() == pytest.approx(13 * MS)


def test_the_factor_is_learnt_from_segments_that_were_looked_at() -> None:
    budget = with_plain()
    assert budget.factor() == FIRST_FACTOR
    for _ in range(100):
        budget.add_looked(STEP, 40 * MS, clocked_ns=10 * MS)
    budget.close_window(1000 * MS)
    assert budget.factor() == pytest.approx(3.0, rel=0.02)


def test_without_plain_segments_the_guess_stands() -> None:
    budget = Budget()
    budget.add_looked(STEP, 40 * MS, clocked_ns=1 * MS)
    budget.close_window(1 * MS)
    assert budget.factor() == FIRST_FACTOR


def test_what_was_spent_too_much_is_saved_by_work_without_looking() -> None:
    budget = with_plain()
    budget.close_window(50 * MS)
    owed = budget.saved_ns()
    assert owed < 0
    for _ in range(100):
        budget.add_plain(STEP, 10 * MS)
    assert budget.saved_ns() == pytest.approx(owed + SHARE * 1000 * MS, rel=0.05)


def test_one_window_gets_little_more_than_its_share_but_a_whole_segment_if_that_was_saved() -> None:
    budget = Budget()
    budget.open_window(0, 300 * MS)
    share = budget.share_ns(300 * MS)
    budget.run_left_at_open_ns = 20 * share
    for saved, whole, allowed in ((10, 0, MOST_AT_ONCE), (10, 3, 3), (-1, 3, 0)):
        budget.saved_at_open_ns = saved * share
        assert budget.window_ns(whole * share) == pytest.approx(allowed * share)


def test_what_a_whole_segment_costs_is_estimated_from_parts_of_it() -> None:
    budget = Budget()
    budget.add_seen(ALL, 0.5, 3 * MS)
    assert budget.whole_ns(ALL) == pytest.approx(FIRST_FACTOR * 6 * MS)
    assert budget.whole_ns(CHOSEN) == 0.0


def test_only_waiting_stages_are_waiting() -> None:
    nodes = [SimpleNamespace(stage=stage, total_ns=5) for stage in ("vec.wait", "env.step", "wait")]
    state: Any = SimpleNamespace(nodes=nodes)
    assert waited_ns(state) == 10


def test_a_new_cost_of_events_does_not_change_what_was_spent() -> None:
    watch = Watch()
    watch.events = 1000
    before = watch.spent_ns()
    watch.set_event_ns(700)
    assert watch.spent_ns() == before
    watch.events += 1
    assert watch.spent_ns() == before + 700
