"""What the status line says about a run that is being written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goldsplit.cli.live.status import NOW_NS, LiveStatus, Status
from goldsplit.store.tail import RunTail

Look = Callable[[], Status]


def looking_at(path: Path) -> Look:
    """Reads what is new, and says what is going on."""
    return LiveStatus(RunTail(path, NOW_NS)).look


def test_steps_are_counted_once_and_waiting_names_what_is_waited_for(run: Any) -> None:
    look = looking_at(run.path)
    first = look()
    assert (first.processes, first.env_steps, first.steps_per_second) == (2, 100, None)
    run.write_second(2)
    second = look()
    assert second.env_steps == 200
    assert second.steps_per_second == pytest.approx(100.0)
    assert second.top_stage == "waiting for env.step"


def test_before_any_process_has_begun_only_stacks_are_known(empty_run: Any) -> None:
    look = looking_at(empty_run.path)
    assert look() == Status(0, None, None, None, has_stacks=False)
    (empty_run.path / "stacks.jsonl").touch()
    assert look() == Status(0, None, None, None, has_stacks=True)


def test_a_rate_needs_two_snapshots(empty_run: Any) -> None:
    look = looking_at(empty_run.path)
    empty_run.write_second(1000)
    assert look().steps_per_second is None, "the clock does not begin with the run"
    empty_run.write_second(1001)
    assert look().steps_per_second == pytest.approx(100.0)


def test_the_users_own_counter_goes_first(run: Any) -> None:
    run.write_counts(2, {"0:user:env_steps": 7, "0:vec_env_steps": 9})
    assert looking_at(run.path)().env_steps == 7


@pytest.mark.parametrize("looks_each_second", [True, False])
def test_speed_is_of_the_last_seconds_only(run: Any, looks_each_second: bool) -> None:
    look = looking_at(run.path)
    for second in range(2, 12):
        run.write_second(second)
        if looks_each_second:
            look()
    assert look().steps_per_second == pytest.approx(100.0)
    run.write_counts(30, {"0:vec_env_steps": 1101})
    slow = look()
    assert slow.steps_per_second is not None
    assert slow.steps_per_second < 1


def test_a_torn_line_is_read_when_it_is_whole(run: Any) -> None:
    look = looking_at(run.path)
    look()
    run.write_counts(2, {"0:vec_env_steps": 250})
    whole = run.driver.read_bytes()
    run.driver.write_bytes(whole[:-30])
    assert look().env_steps == 100
    run.driver.write_bytes(whole)
    assert look().env_steps == 250


def test_a_driver_that_has_ended_does_not_stop_the_clock(run: Any) -> None:
    look = looking_at(run.path)
    run.write_second(2)
    with run.driver.open("a") as opened:
        opened.write(json.dumps({"k": "end", "t": 2_000_000_000, "code": 0}) + "\n")
    assert look().top_stage == "env.step"
