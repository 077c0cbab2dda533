"""Overlays seen from outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goldsplit.model.wire import File, Header, Variable
from goldsplit.record.outside import overlaid_run
from goldsplit.record.outside.overlaid_run import ending_if_stopped, put_on, told_in, why_stopped


def test_the_environment_and_the_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    environment = {Variable.FIRST_PROCESS: "3"}
    put_on(("threads:1", "no-validation"), environment)
    assert json.loads(environment[Variable.OVERLAYS]) == ["threads:1", "no-validation"]
    assert environment["OMP_NUM_THREADS"] == "1"
    assert Variable.FIRST_PROCESS not in environment
    header = told_in({Header.ENVIRONMENT: {"cores": 2}}, ("threads:1", "no-validation"))
    assert header[Header.OVERLAYS] == ["threads:1", "no-validation"]
    assert header[Header.OVERLAY_VARIABLES]["threads:1"]["MKL_NUM_THREADS"] == [None, "1"]
    assert "OMP_NUM_THREADS" not in header[Header.OVERLAY_VARIABLES]["threads:1"]
    assert header[Header.ENVIRONMENT]["MKL_NUM_THREADS"] == "1"


def test_without_overlays_nothing_is_set() -> None:
    environment: dict[str, str] = {}
    put_on((), environment)
    assert environment == {}
    assert told_in({Header.ENVIRONMENT: {}}, ())[Header.OVERLAY_VARIABLES] == {}


def test_a_stopped_run_is_ended_at_once_then_harder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    class Child:
        """A command."""

        def terminate(self) -> None:
            done.append("terminate")

        def kill(self) -> None:
            done.append("kill")

    now = [0.0]
    monkeypatch.setattr(overlaid_run.time, "monotonic", lambda: now[0])
    child: Any = Child()
    look = ending_if_stopped(child, tmp_path, lambda: done.append("tick"))
    look()
    assert why_stopped(tmp_path) is None
    (tmp_path / File.STOPPED).write_text("why")
    look()
    look()
    now[0] = 4.0
    look()
    assert done == ["tick", "tick", "terminate", "tick", "tick", "kill"]
    assert why_stopped(tmp_path) == "why"
