"""The budget of the windows: what they may cost, what they did cost, and how it recovers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.model.wire import ALL, CHOSEN, STEP
from goldsplit.record.inside.deep import budget as budget_module
from goldsplit.record.inside.deep.budget import (
    CREDIT_NS,
    FIRST_FACTOR,
    LEAST_SHARE,
    LONGEST_BEAT_NS,
    MOST_AT_ONCE,
    OF_SEVERAL,
    RUN_SHARE,
    SHARE,
    Budget,
    waited_ns,
)
from goldsplit.record.inside.deep.call_watch import Watch

MS = 1_000_000


class Worked:
    """Processor time that goes by only when a test says so."""

    ns = 5000 * MS

    def __call__(self) -> int:
        return self.ns


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> Worked:
    made = Worked()
    monkeypatch.setattr(budget_module, "worked_ns", made)
    return made


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


def test_the_processor_time_of_the_run_bounds_what_its_windows_may_cost_together(worked: Worked) -> None:
    budget = with_plain(segments=1000)
    budget.begin(1000 * MS, [])
    assert budget.run_left_ns() == pytest.approx(RUN_SHARE * CREDIT_NS)
    worked.ns += 3000 * MS
    budget.open_close_ns = 20 * MS
    left = RUN_SHARE * (CREDIT_NS + 3000 * MS) - 20 * MS
    assert budget.run_left_ns() == pytest.approx(left)
    budget.close_window(int((left - 5 * MS) / FIRST_FACTOR))
    budget.open_window(400 * MS)
    assert budget.window_ns(0.0) == pytest.approx(5 * MS, rel=0.01)
    assert budget.window_ns(50 * MS) == pytest.approx(5 * MS, rel=0.01)


def test_one_of_several_processes_may_spend_less(worked: Worked) -> None:
    budget = Budget()
    budget.begin(1000 * MS, [])
    budget.is_one_of_several = True
    assert budget.run_left_ns() == pytest.approx(OF_SEVERAL * RUN_SHARE * CREDIT_NS)


def test_opening_closing_and_listening_are_part_of_the_cost() -> None:
    budget = Budget()
    budget.open_close_ns = 40 * MS
    budget.add_beat(LONGEST_BEAT_NS - 1)
    budget.add_beat(100 * MS)  # the machine did something else meanwhile
    assert budget.cost_ns() == 40 * MS + 2 * LONGEST_BEAT_NS - 1


def test_work_that_nobody_heard_is_work_in_windows_too() -> None:
    budget = with_plain()
    before = budget.saved_ns()
    budget.close_window(0, unheard_ns=300 * MS)
    assert budget.saved_ns() == pytest.approx(before + SHARE * 300 * MS)


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
    budget.open_window(300 * MS)
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
