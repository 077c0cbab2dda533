"""What the process as a whole has used."""

from __future__ import annotations

import os

import psutil
import pytest

from goldsplit.record.inside.process_figures import ProcessFigures, resident_bytes

SECOND = 1_000_000_000


def test_figures_of_this_process() -> None:
    figures = ProcessFigures()
    before, after = figures.now(0, 0), figures.now(SECOND, 0)
    assert 0 < before["process_cpu_ns"] <= after["process_cpu_ns"]
    assert before["process_rss_bytes"] == pytest.approx(psutil.Process().memory_info().rss, rel=0.2)


def test_memory_is_asked_for_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter([100, 200, 300])
    monkeypatch.setattr("goldsplit.record.inside.process_figures.resident_bytes", lambda: next(sizes))
    figures = ProcessFigures()
    seen = [figures.now(int(at * SECOND), 0)["process_rss_bytes"] for at in (5, 5.5, 6, 6.5, 6.999)]
    assert seen == [100, 100, 200, 200, 300], "a snapshot that comes a little early asks, too"


def test_a_system_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError("no /proc")

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "listdir", refuse)
    assert resident_bytes() is None
    assert set(ProcessFigures().now(0, 0)) == {"process_cpu_ns"}


def test_the_recorders_own_cpu_time_is_not_the_programs() -> None:
    figures = ProcessFigures()
    before = figures.now(0, 0)["process_cpu_ns"]
    own = 10_000_000_000
    assert figures.now(0, own)["process_cpu_ns"] < before, f"{own} ns are left out"
