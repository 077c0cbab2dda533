"""The timer behind the process's own stack samples, in processes of its own: signals end what does not handle
them."""

from __future__ import annotations

import subprocess
import sys

import pytest

COUNTS = """
import signal, time
from goldsplit.record.inside.cpu_timer import CpuTimer
{without}
seen = []
signal.signal(signal.SIGPROF, lambda number, frame: seen.append(number))
timer = CpuTimer()
timer.set_rate(100)
begun = time.process_time()
while time.process_time() < begun + 0.2: pass
timer.set_rate(0)
signals = len(seen)
begun = time.process_time()
while time.process_time() < begun + 0.05: pass
assert 5 <= signals <= 30, signals
assert len(seen) <= signals + 1
"""
EXECS = """
import ctypes, signal, sys
from goldsplit.record.inside.cpu_timer import CpuTimer
signal.signal(signal.SIGPROF, lambda number, frame: None)
CpuTimer().set_rate(200)
burn = "import time\\nwhile time.process_time() < 0.2: pass\\nprint('alive')"
words = [word.encode() for word in (sys.executable, "-S", "-c", burn)]
ctypes.CDLL(None).execv(words[0], (ctypes.c_char_p * 5)(*words, None))
"""


def run(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("without", ["", "CpuTimer._make = lambda self: None"])
def test_signals_come_with_cpu_time_and_stop(without: str) -> None:
    done = run(COUNTS.format(without=without))
    assert done.returncode == 0, done.stderr


def test_it_ends_when_another_program_takes_over_without_pythons_knowledge() -> None:
    done = run(EXECS)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done
