"""The status line and the panel, with a clock, a terminal and a run directory of the test."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.cli.live import display
from goldsplit.cli.live.bottom_rows import BottomArea
from goldsplit.cli.live.status import Status


class Terminal(io.StringIO):
    """A stream that is a terminal, or not."""

    def __init__(self, is_terminal: bool = True) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


class Clock:
    """Time that passes only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (Status(0, None, None, None, False), "goldsplit 1:01:05 · starting"),
        (Status(0, None, None, None, True), "goldsplit 1:01:05 · sampling stacks"),
        (Status(1, None, None, None, True), "goldsplit 1:01:05 · no env step yet"),
        (
            Status(3, 12345, 296.4, "act", True),
            "goldsplit 1:01:05 · 12,345 env steps · 296/s now · mostly act",
        ),
        (
            Status(3, 5, None, "waiting for env.step", True),
            "goldsplit 1:01:05 · 5 env steps · waiting for env.step",
        ),
    ],
)
def test_status_text(status: Status, text: str) -> None:
    assert display.status_text(3665.2, status) == text


def test_nothing_is_shown_when_piped_quiet_or_dumb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(display.make_tick(live=True, quiet=False, stream=Terminal(False)), display.Silent)
    assert isinstance(display.make_tick(live=True, quiet=True, stream=Terminal()), display.Silent)
    assert isinstance(display.make_tick(live=False, quiet=False, stream=Terminal()), display.StatusLine)
    assert isinstance(display.make_tick(live=True, quiet=False, stream=Terminal()), display.LivePanel)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(display.make_tick(live=True, quiet=False, stream=Terminal()), display.Silent)


@pytest.fixture
def size(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    def set_size(columns: int, rows: int) -> None:
        monkeypatch.setattr(display, "terminal_size", lambda: (columns, rows))
        monkeypatch.setattr(display, "is_in_front", lambda: True)

    set_size(80, 24)
    return set_size


def test_status_line_waits_refreshes_each_second_and_clears(run: Any, size: Any) -> None:
    terminal, clock = Terminal(), Clock()
    line = display.StatusLine(terminal, clock, lambda: 0.0)
    line(run.path)
    assert terminal.getvalue() == ""
    clock.now = 2.0
    line(run.path)
    drawn = terminal.getvalue()
    assert "100 env steps" in drawn
    assert "\x1b[1;23r" in drawn
    clock.now = 2.5
    line(run.path)
    assert terminal.getvalue() == drawn
    clock.now = 3.1
    line(run.path)
    assert terminal.getvalue() != drawn
    line.close()
    assert terminal.getvalue().endswith("\x1b7\x1b[r\x1b[24;1H\x1b[2K\x1b8")


def test_an_expensive_look_is_repeated_less_often() -> None:
    clock = Clock()
    pace = display.Pace(1.0, clock, 0.0)
    for _ in range(display.FREE_LOOKS):
        pace.looked(0.5)
        clock.now += 1.0
        assert pace.is_due(), "the first picture does not wait"
    pace.looked(0.5)
    clock.now += 49.0
    assert not pace.is_due()
    clock.now += 1.0
    assert pace.is_due()


def test_panel_shows_stages_and_lanes(run: Any, size: Any) -> None:
    for second in range(2, 8):
        run.write_second(second)
    terminal, clock = Terminal(), Clock()
    panel = display.LivePanel(terminal, clock, lambda: 0.0, in_background=lambda work: work())
    clock.now = 4.0
    panel(run.path)
    text = terminal.getvalue()
    assert "700 env steps" in text
    assert "act" in text
    assert "env-worker" in text
    assert "\x1b[1;" in text
    panel.close()
    assert terminal.getvalue().endswith("\x1b8")


def test_panel_analyses_the_last_seconds_and_not_more_often_than_due(run: Any, size: Any) -> None:
    terminal, clock = Terminal(), Clock()
    work: list[Callable[[], None]] = []
    panel = display.LivePanel(terminal, clock, lambda: 0.0, in_background=work.append)
    for second in range(2, 41):
        run.write_second(second)
        clock.now = float(second)
        panel(run.path)
    assert len(work) == 1, "one at a time"
    work.pop()()
    for second in range(41, 50):
        run.write_second(second)
        clock.now = float(second)
        panel(run.path)
        while work:
            work.pop()()
    assert panel.report is not None
    windows = panel.report.profile.throughput.windows
    assert sum(window.seconds for window in windows) <= display.RECENT_NS / 1e9 + 2


def test_the_first_stacks_are_shown_at_once(run: Any, size: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, clock = Terminal(), Clock()
    panel = display.LivePanel(terminal, clock, lambda: 0.0, in_background=lambda work: work())
    clock.now = 2.0
    panel(run.path)
    before = panel.report
    monkeypatch.setattr("goldsplit.store.tail.RunTail.has_stacks", property(lambda tail: True))
    run.write_second(2)
    clock.now = 3.1  # the next panel is due at 5
    panel(run.path)
    assert panel.report is not before
    shown = panel.report
    run.write_second(3)
    clock.now = 4.2
    panel(run.path)
    assert panel.report is shown


def test_panel_survives_a_run_that_cannot_be_read_yet(empty_run: Any, size: Any) -> None:
    terminal, clock = Terminal(), Clock()
    panel = display.LivePanel(terminal, clock, lambda: 0.0, in_background=lambda work: work())
    clock.now = 4.0
    panel(empty_run.path)
    assert "nothing to show yet" in terminal.getvalue()


def test_area_follows_the_window_and_leaves_small_ones_alone() -> None:
    terminal = Terminal()
    sizes = [(80, 24)]
    area = BottomArea(terminal, lambda: sizes[-1])
    area.draw(["x" * 200])
    assert "x" * 80 in terminal.getvalue()
    assert "x" * 81 not in terminal.getvalue()
    sizes.append((100, 30))
    area.draw(["y"])
    assert "\x1b[r" in terminal.getvalue()
    assert "\x1b[1;29r" in terminal.getvalue()
    tiny = Terminal()
    BottomArea(tiny, lambda: (80, 4)).draw(["z"])
    assert tiny.getvalue() == ""


def test_a_closed_terminal_is_not_an_error() -> None:
    terminal = Terminal()
    area = BottomArea(terminal, lambda: (80, 24))
    area.draw(["x"])
    terminal.close()
    area.draw(["y"])
    area.close()


def test_nothing_is_drawn_in_the_background_and_what_was_drawn_is_given_back() -> None:
    terminal = Terminal()
    in_front = [True]
    area = BottomArea(terminal, lambda: (80, 24), lambda: in_front[-1])
    area.draw(["x"])
    in_front.append(False)
    area.draw(["never shown"])
    assert "never shown" not in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b7\x1b[r\x1b[24;1H\x1b[2K\x1b8")
