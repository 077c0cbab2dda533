"""Signals between the launcher and its command."""

from __future__ import annotations

import os
import signal

from goldsplit.record.outside.passed_signals import ignores


def test_whether_a_process_ignores_a_signal() -> None:
    before = signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    try:
        assert ignores(os.getpid(), signal.SIGUSR2)
        assert not ignores(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert not ignores(os.getpid(), signal.SIGUSR2)
    assert not ignores(2**22 + 1, signal.SIGINT)
