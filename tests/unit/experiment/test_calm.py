"""What others did on the machine during a trial."""

from __future__ import annotations

import os

from goldsplit.experiment.calm import Reading, calm_between, read_machine
from goldsplit.model.experiment.trial import Calm


def test_the_trials_own_time_is_taken_off() -> None:
    before = Reading(1000.0, 5.0, 50.0, 1.5)
    after = Reading(1030.0, 5.4, 70.0, 3.0)
    assert calm_between(before, after, 20.0, 2) == Calm(1.5, 0.5, 0.01, 2)
    assert calm_between(before, Reading(1010.0, 5.0, 70.0, 3.0), 20.0, 2).other_cores == 0.0


def test_what_the_system_does_not_tell_is_not_measured() -> None:
    before = Reading(None, None, 50.0, None)
    assert calm_between(before, before, 20.0, 2) == Calm(None, None, None, 2)


def test_this_machine_can_be_read() -> None:
    first = read_machine()
    sum(range(10_000))
    second = read_machine()
    assert second.own_seconds >= first.own_seconds > 0
    assert second.busy_seconds is None or second.busy_seconds >= (first.busy_seconds or 0)
    assert first.load is None or 0 <= first.load < 100 * (os.cpu_count() or 1)
