"""Signals between the launcher and the command that it runs."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any


def ignores(pid: int, number: int) -> bool:
    """Whether a process ignores a signal; False where the system does not say."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        mask = int(status.partition("\nSigIgn:")[2].split()[0], 16)
    except (OSError, IndexError, ValueError):
        return False
    return bool(mask >> (number - 1) & 1)


class forwarding_signals:  # noqa: N801 - used as a `with` word
    """A terminal sends Ctrl-C to the child, too; a signal that is sent only to us is passed on."""

    def __init__(self, received: list[int]) -> None:
        self.child: subprocess.Popen[bytes] | None = None
        self.received = received
        self.before: dict[int, Any] = {}

    def __enter__(self) -> forwarding_signals:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, or a background job
                self.before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *exc: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: object) -> None:
        self.received.append(number)
        if number == signal.SIGINT and in_foreground():
            return
        if self.child is not None and self.child.poll() is None:
            self.child.send_signal(number)


def in_foreground() -> bool:
    """Whether a terminal's Ctrl-C goes to our whole process group, and so to the child as well."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
