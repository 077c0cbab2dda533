"""Run a command with nobody watching: what `launch.run` does, without the recorder."""

from __future__ import annotations

import os
import time

from goldsplit.record.outside.launch import RunEnd, Tick, _forwarding_signals, _start, _wait, status_of


def run_alone(command: tuple[str, ...], tick: Tick) -> RunEnd:
    """Run the command to its end; `tick` is called a few times a second meanwhile."""
    received: list[int] = []
    with _forwarding_signals(received) as signals:
        signals.child = child = _start(command, dict(os.environ))
        _wait(child, None, tick, received)
    code = child.returncode
    return RunEnd(
        exit_code=code if code >= 0 else 128 - code,
        status=status_of(code, received),
        signal=-code if code < 0 else None,
        ended_ns=time.perf_counter_ns(),
        notes=(),
    )
