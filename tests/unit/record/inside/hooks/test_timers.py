"""Calls of timers are counted; the timers behave as before."""

from __future__ import annotations

import pytest

from goldsplit.model.usual_names import looks_like_timer
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks.timers import count_timer


class StageTimer:
    def __init__(self) -> None:
        self.stopped = 0

    def stop(self, by: int = 1) -> int:
        """Stop it."""
        self.stopped += by
        return self.stopped


class Game:
    def stop(self) -> int:
        return 3


def test_each_call_is_a_fact_at_the_method(state: ThreadState) -> None:
    count_timer(StageTimer)
    timer = StageTimer()
    assert (timer.stop(), timer.stop(by=2)) == (1, 3)
    ((name, number),) = [item for item in state.counts.items() if "timer_call" in item[0]]
    assert number == 2
    assert name.endswith(":StageTimer.stop")
    assert StageTimer.stop.__doc__ == "Stop it."


def test_other_classes_stay_as_they_are(state: ThreadState) -> None:
    before = Game.stop
    count_timer(Game)
    assert Game.stop is before


@pytest.mark.parametrize(
    "name",
    ["Timer.stop", "StageTimer.__enter__", "profile_step", "timed.<locals>.wrapper", "tic", "Profiler.add"],
)
def test_named_like_a_timer(name: str) -> None:
    assert looks_like_timer(name)


@pytest.mark.parametrize(
    "name", ["Game.step", "Game.time_left", "Player.profile", "act", "tick", "Game.timeout"]
)
def test_not_named_like_a_timer(name: str) -> None:
    assert not looks_like_timer(name)
