"""Graphs on the CPU for the tests of this room."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A backend that records and replays on the CPU; torch's optimizers are told that it can capture."""
    from tests.unit.fast.learner.recorded_graphs import RecordedGraphs

    for name in ("adam", "adamax", "nadam", "rmsprop"):
        module = importlib.import_module(f"torch.optim.{name}")
        monkeypatch.setattr(module, "_get_capturable_supported_devices", lambda *a, **k: ["cpu"])
    return RecordedGraphs()
