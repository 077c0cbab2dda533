from __future__ import annotations

import os

import psutil
import pytest

from goldsplit.record.process_figures import process_figures, resident_bytes


def test_figures_of_this_process() -> None:
    before, after = process_figures(), process_figures()
    assert 0 < before["process_cpu_ns"] <= after["process_cpu_ns"]
    assert before["process_rss_bytes"] == pytest.approx(psutil.Process().memory_info().rss, rel=0.2)


def test_a_system_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError("no /proc")

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "listdir", refuse)
    assert resident_bytes() is None
    assert set(process_figures()) == {"process_cpu_ns"}


def test_the_recorders_own_cpu_time_is_not_the_programs() -> None:
    before = process_figures()["process_cpu_ns"]
    own = 10_000_000_000
    assert process_figures(own)["process_cpu_ns"] < before, f"{own} ns are left out"
