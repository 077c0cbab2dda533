"""The sampler inside a process, for systems that refuse py-spy."""

from __future__ import annotations

import signal
import sys
from typing import Any

import pytest

from goldsplit.model.wire import Stacks
from goldsplit.record.inside import timer_sampler
from goldsplit.record.inside.cpu_timer import CpuTimer
from goldsplit.record.inside.timer_sampler import SignalSampler


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rates that were set; no signal is ever sent."""
    rates: list[int] = []
    monkeypatch.setattr(CpuTimer, "set_rate", lambda self, rate_hz: rates.append(rate_hz))
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.SIG_DFL)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    return rates


def test_stacks_are_counted_and_handed_over_once(timers: list[int]) -> None:
    sampler = SignalSampler()
    assert sampler.drain() is None
    for _ in range(3):
        sampler.take(signal.SIGPROF, sys._getframe())
    line: Any = sampler.drain()
    ((stack, count),) = line[Stacks.STACKS]
    assert count == 3
    assert stack[-1][0] == "test_stacks_are_counted_and_handed_over_once"
    assert (line[Stacks.RATE], sampler.drain()) == (timer_sampler.FIRST_RATE_HZ, None)


def test_it_samples_often_at_first_and_less_later(timers: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timer_sampler, "FIRST_SAMPLES", 2)
    sampler = SignalSampler()
    assert sampler.start()
    for _ in range(5):
        sampler.take(signal.SIGPROF, None)
    assert timers == [timer_sampler.FIRST_RATE_HZ, timer_sampler.LATER_RATE_HZ]
    assert sampler.rate_hz == timer_sampler.LATER_RATE_HZ
    sampler.stop()
    sampler.take(signal.SIGPROF, None)
    assert timers[-1] == 0, "a signal on its way does not start it again"


def test_half_a_minute_at_most_two_thirds_busy_gives_enough() -> None:
    assert timer_sampler.LATER_RATE_HZ * 30 * 0.67 >= 400
    assert timer_sampler.FIRST_RATE_HZ * 30 * 0.27 >= 400


def test_an_instruction_without_a_line_has_that_of_the_one_before() -> None:
    class Frame:
        f_code = compile("a = 1\nb = 2\nc = 3\n", "x.py", "exec")
        f_lasti = 0

    frame: Any = Frame()
    frame.f_lasti = next(begin for begin, _, line in frame.f_code.co_lines() if line == 2)
    assert timer_sampler._line_before(frame) == 2
    frame.f_lasti = len(frame.f_code.co_code)
    assert timer_sampler._line_before(frame) == 3
    frame.f_lasti = 0
    assert timer_sampler._line_before(frame) == 1, "where a module begins nothing is before"
