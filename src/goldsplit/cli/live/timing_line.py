"""The status line while an environment is timed alone: how long, how many steps so far."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TextIO

from goldsplit.cli.live.bottom_rows import BottomArea
from goldsplit.cli.live.display import (
    FIRST_AFTER_SECONDS,
    STATUS_SECONDS,
    Clock,
    Pace,
    Silent,
    Tick,
    clock_text,
    is_in_front,
    terminal_size,
)
from goldsplit.model.env_alone.drive_wire import DriveKey
from goldsplit.model.wire import File


def make_timing_tick(stream: TextIO) -> Tick:
    """A line on a terminal, nothing elsewhere."""
    if not stream.isatty() or os.environ.get("TERM") in (None, "dumb"):
        return Silent()
    return TimingLine(stream)


class TimingLine:
    """One line at the bottom of the terminal."""

    def __init__(self, stream: TextIO, clock: Clock = time.monotonic) -> None:
        self.area = BottomArea(stream, terminal_size, is_in_front)
        self.pace = Pace(STATUS_SECONDS, clock, FIRST_AFTER_SECONDS)

    def __call__(self, run_dir: Path) -> None:
        if self.pace.is_due():
            self.area.draw([timing_text(self.pace.elapsed(), steps_so_far(run_dir))])
            self.pace.looked(0.0)

    def close(self) -> None:
        self.area.close()


def timing_text(elapsed_seconds: float, steps: int | None) -> str:
    """The line."""
    done = "starting" if steps is None else f"{steps:,} env steps"
    return f"goldsplit {clock_text(elapsed_seconds)} · timing alone, recording comes next · {done}"


def steps_so_far(folder: Path) -> int | None:
    """What the driver wrote last, about once a second."""
    try:
        return int(json.loads((folder / File.DRIVE_TIMED).read_text())[DriveKey.DRIVEN][DriveKey.STEPS])
    except (OSError, ValueError, KeyError, TypeError):
        return None
