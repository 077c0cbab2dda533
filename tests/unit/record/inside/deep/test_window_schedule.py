"""All processes of a run have their windows at the same time."""

from __future__ import annotations

import itertools
from pathlib import Path

from goldsplit.record.inside.deep import window_schedule
from goldsplit.record.inside.deep.window_schedule import SECOND, Plan


def test_windows_do_not_overlap_and_gaps_grow() -> None:
    plan = Plan(SECOND, SECOND // 5)
    windows = [plan.window(index) for index in range(20)]
    gaps = [later[0] - earlier[1] for earlier, later in itertools.pairwise(windows)]
    assert windows[0] == (SECOND, SECOND + SECOND // 5)
    assert all(gap > 0 for gap in gaps)
    assert all(later > earlier - 2 for earlier, later in itertools.pairwise(gaps))
    assert gaps[-1] > 3 * gaps[0]


def test_windows_take_a_bounded_share_of_the_time() -> None:
    plan = Plan(0, SECOND // 5)
    for last in (5, 40):
        taken = sum(end - start for start, end in map(plan.window, range(last)))
        assert taken <= 1.001 * window_schedule.DENSE_SHARE * plan.window(last)[0]


def test_the_next_window_is_the_first_that_is_not_over() -> None:
    plan = Plan(0, SECOND)
    assert plan.next_window(0, 0)[0] == 0
    assert plan.next_window(2 * SECOND, 0)[0] == 1


def test_a_slow_step_makes_longer_windows() -> None:
    assert window_schedule.plan_for(0, 1000).length_ns == window_schedule.SHORTEST_NS
    assert window_schedule.plan_for(0, SECOND / 20).length_ns == SECOND
    assert window_schedule.plan_for(0, SECOND / 5).length_ns == window_schedule.LONGEST_NS
    assert window_schedule.plan_for(0, 2 * SECOND).length_ns > 4 * SECOND  # two whole steps
    assert window_schedule.plan_for(0, 100 * SECOND).length_ns == window_schedule.LONGEST_OF_ALL_NS


def test_the_first_process_decides(tmp_path: Path) -> None:
    first = window_schedule.share_plan(str(tmp_path), Plan(5, 10))
    second = window_schedule.share_plan(str(tmp_path), Plan(7, 20))
    assert first == second == window_schedule.read_plan(str(tmp_path)) == Plan(5, 10)
    assert [file.name for file in tmp_path.iterdir()] == ["deep.json"]


def test_no_plan_and_a_damaged_one_are_no_plan(tmp_path: Path) -> None:
    assert window_schedule.read_plan(str(tmp_path)) is None
    (tmp_path / "deep.json").write_text("{")
    assert window_schedule.read_plan(str(tmp_path)) is None


def test_a_directory_that_is_gone_is_no_error(tmp_path: Path) -> None:
    assert window_schedule.share_plan(str(tmp_path / "gone"), Plan(1, 2)) == Plan(1, 2)


def test_the_first_window_waits_for_steps_and_for_time() -> None:
    assert not window_schedule.is_time(0, SECOND, 1000)
    assert not window_schedule.is_time(1, SECOND, 3)
    assert not window_schedule.is_time(SECOND, SECOND + 1, 1000)
    assert window_schedule.is_time(SECOND, 2 * SECOND, 1000)
    assert window_schedule.is_time(SECOND, 4 * SECOND, 3)


def test_processes_are_counted_by_what_they_wrote(tmp_path: Path) -> None:
    for name in ("proc-7-1.jsonl", "proc-8-1.jsonl", "system.jsonl"):
        (tmp_path / name).touch()
    assert window_schedule.recorded_processes(str(tmp_path)) == 2
    assert window_schedule.recorded_processes(str(tmp_path / "gone")) == 1
