"""The status line while an environment is timed alone."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from goldsplit.cli.live import timing_line
from goldsplit.cli.live.display import Silent
from goldsplit.cli.live.timing_line import TimingLine, make_timing_tick, steps_so_far, timing_text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_steps_are_read_from_what_the_driver_wrote(tmp_path: Path) -> None:
    assert steps_so_far(tmp_path) is None
    (tmp_path / "timing.json").write_text('{"driven": null}')
    assert steps_so_far(tmp_path) is None
    (tmp_path / "timing.json").write_text('{"driven": {"steps": 12345}}')
    assert timing_text(61, steps_so_far(tmp_path)).endswith(
        "0:01:01 · timing alone, recording comes next · 12,345 env steps"
    )
    assert timing_text(1, None).endswith("starting")


def test_it_is_drawn_once_a_second_and_taken_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(timing_line, "terminal_size", lambda: (80, 24))
    monkeypatch.setattr(timing_line, "is_in_front", lambda: True)
    now = [0.0]
    stream = Terminal()
    line = TimingLine(stream, clock=lambda: now[0])
    for now[0] in (0.0, 1.0, 2.0, 2.1, 2.2, 3.5):
        line(tmp_path)
    assert stream.getvalue().count("timing alone") == 2
    line.close()
    assert stream.getvalue().endswith("\x1b8")


def test_nothing_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(make_timing_tick(io.StringIO()), Silent)
    assert isinstance(make_timing_tick(Terminal()), TimingLine)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(make_timing_tick(Terminal()), Silent)
