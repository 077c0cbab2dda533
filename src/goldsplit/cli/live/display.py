"""What is shown while a recording goes on: nothing, one status line, or a panel. Never when piped."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from goldsplit.cli.live.bottom_rows import BottomArea
from goldsplit.cli.live.status import NOW_NS, LiveStatus, Status
from goldsplit.store.directory import read_header
from goldsplit.store.tail import RunTail

if TYPE_CHECKING:
    from goldsplit.model.recording import Recording
    from goldsplit.model.report import Report

#: Looking may cost this share of one core; whatever takes longer is done less often.
COST_SHARE = 0.01
STATUS_SECONDS = 1.0
PANEL_SECONDS = 3.0
#: A new user waits for the first picture: so many looks are not put off for what they cost.
FREE_LOOKS = 2
#: How much of the past the panel shows.
RECENT_NS = 15_000_000_000
#: A command that ends sooner shows nothing at all.
FIRST_AFTER_SECONDS = 1.5

Clock = Callable[[], float]
InBackground = Callable[[Callable[[], None]], None]


class Tick(Protocol):
    """Called a few times a second while a run is recorded, and closed at its end."""

    def __call__(self, run_dir: Path) -> None: ...

    def close(self) -> None: ...


def make_tick(live: bool, quiet: bool, stream: TextIO | None = None) -> Tick:
    """What to show on this terminal."""
    stream = stream or sys.stderr
    if quiet or not stream.isatty() or os.environ.get("TERM") in (None, "dumb"):
        return Silent()
    return LivePanel(stream) if live else StatusLine(stream)


class Silent:
    """Shows nothing."""

    def __call__(self, run_dir: Path) -> None:
        return None

    def close(self) -> None:
        return None


class Pace:
    """When to look again: at a fixed interval, or later where looking is expensive."""

    def __init__(self, interval_seconds: float, clock: Clock, first_after_seconds: float) -> None:
        self.interval_seconds = interval_seconds
        self.clock = clock
        self.started = clock()
        self.due = self.started + first_after_seconds
        self.looks = 0

    def is_due(self) -> bool:
        return self.clock() >= self.due

    def looked(self, cost_seconds: float) -> None:
        """Set the next time from what this look cost; the first ones also pay for what is done only once."""
        self.looks += 1
        wait = cost_seconds / COST_SHARE if self.looks > FREE_LOOKS else 0.0
        self.due = self.clock() + max(self.interval_seconds, wait)

    def elapsed(self) -> float:
        return self.clock() - self.started


class StatusLine:
    """One line at the bottom of the terminal: elapsed, env steps, steps per second now, top stage."""

    def __init__(
        self, stream: TextIO, clock: Clock = time.monotonic, cpu_clock: Clock = time.thread_time
    ) -> None:
        self.area = BottomArea(stream, terminal_size, is_in_front)
        self.pace = Pace(STATUS_SECONDS, clock, FIRST_AFTER_SECONDS)
        self.cpu_clock = cpu_clock
        self.live: LiveStatus | None = None

    def __call__(self, run_dir: Path) -> None:
        if not self.pace.is_due():
            return
        begun = self.cpu_clock()
        self.live = self.live or LiveStatus(RunTail(run_dir, NOW_NS))
        self.area.draw([status_text(self.pace.elapsed(), self.live.look())])
        self.pace.looked(self.cpu_clock() - begun)

    def close(self) -> None:
        self.area.close()


class LivePanel:
    """A panel at the bottom of the terminal; the program's own output scrolls above it.

    Its first line is the status line, every second. The panel is of the last seconds. It is made in another
    thread from a copy of what was read, so that the end of the command is noticed at once.
    """

    def __init__(
        self,
        stream: TextIO,
        clock: Clock = time.monotonic,
        cpu_clock: Clock = time.thread_time,
        in_background: InBackground | None = None,
    ) -> None:
        self.area = BottomArea(stream, terminal_size, is_in_front)
        self.status_pace = Pace(STATUS_SECONDS, clock, FIRST_AFTER_SECONDS)
        self.panel_pace = Pace(PANEL_SECONDS, clock, FIRST_AFTER_SECONDS)
        self.cpu_clock = cpu_clock
        self.in_background = in_background or start_thread
        self.looking = False
        self.has_stacks = False
        """Whether the newest panel was made with stacks: the first ones are shown at once."""
        self.live: LiveStatus | None = None
        self.report: Report | None = None
        self.laid_out = (0, 0, 0)
        """Which report the body shows, and in which size of the window."""
        self.body = ["nothing to show yet"]

    def __call__(self, run_dir: Path) -> None:
        if not self.status_pace.is_due():
            return
        begun = self.cpu_clock()
        self.live = self.live or LiveStatus(RunTail(run_dir, RECENT_NS, closely=True))
        status = self.live.look()
        first_stacks = status.has_stacks and not self.has_stacks
        if (self.panel_pace.is_due() or first_stacks) and not self.looking:
            self.has_stacks = status.has_stacks
            self.looking = True
            recording = self.live.tail.recording()
            self.in_background(lambda: self.look(run_dir, recording))
        self.draw(status)
        self.status_pace.looked(self.cpu_clock() - begun)

    def look(self, run_dir: Path, recording: Recording) -> None:
        """Analyse the last seconds; the next tick draws them."""
        from goldsplit.analyse.profile import analyse
        from goldsplit.model.report import Report

        begun = self.cpu_clock()
        try:
            recording.run = read_header(run_dir)
            self.report = Report(analyse(recording))
        except Exception as error:  # half-written files: the next look reads them whole
            self.body = self.body if self.report else [f"nothing to show yet ({error!r})"]
        self.panel_pace.looked(self.cpu_clock() - begun)
        self.looking = False

    def draw(self, status: Status) -> None:
        """The status line, and below it the newest panel in today's size of the window."""
        from goldsplit.cli.live.panel import panel_lines

        columns, rows = terminal_size()
        if self.report is not None and self.laid_out != (id(self.report), columns, rows):
            self.laid_out = (id(self.report), columns, rows)
            self.body = panel_lines(self.report, columns, max(3, rows - 6))
        self.area.draw([status_text(self.status_pace.elapsed(), status), *self.body])

    def close(self) -> None:
        self.area.close()


def start_thread(work: Callable[[], None]) -> None:
    """Do something beside the main thread; it does not keep the process alive."""
    threading.Thread(target=work, name="goldsplit-live", daemon=True).start()


def terminal_size() -> tuple[int, int]:
    """Columns and rows of the terminal that stderr writes to."""
    try:
        size = os.get_terminal_size(sys.stderr.fileno())
    except (OSError, ValueError):
        size = shutil.get_terminal_size()
    return size.columns, size.lines


def is_in_front() -> bool:
    """Whether this process is the one that the terminal listens to, not one in the background."""
    try:
        return os.tcgetpgrp(sys.stderr.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return True


def status_text(elapsed_seconds: float, status: Status) -> str:
    """The status line."""
    parts = [f"goldsplit {clock_text(elapsed_seconds)}"]
    if status.processes == 0:
        parts.append("sampling stacks" if status.has_stacks else "starting")
    elif status.env_steps is None:
        parts.append("no env step yet")
    else:
        parts.append(f"{status.env_steps:,} env steps")
    if status.steps_per_second is not None:
        parts.append(f"{status.steps_per_second:,.0f}/s now")
    if status.top_stage is not None:
        parts.append(status.top_stage if " " in status.top_stage else f"mostly {status.top_stage}")
    return " · ".join(parts)


def clock_text(elapsed_seconds: float) -> str:
    """Hours, minutes, seconds."""
    minutes, seconds = divmod(int(elapsed_seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
