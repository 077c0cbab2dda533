"""Letting the device's profiling interface go between windows: where that is safe, and as the user wants."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.inside.device import own_profilers


def torch_with(cuda: str | None) -> Any:
    return SimpleNamespace(version=SimpleNamespace(cuda=cuda))


@pytest.mark.parametrize(
    ("cuda", "expected"), [("13.0", "1"), ("12.6", "1"), ("12.4", None), ("11.8", None), (None, None)]
)
def test_it_is_let_go_only_where_captured_graphs_bear_it(
    cuda: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", {})
    own_profilers.let_go_between_windows(torch_with(cuda))
    assert os.environ.get("TEARDOWN_CUPTI") == expected


def test_what_the_user_has_decided_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {"TEARDOWN_CUPTI": "0"})
    own_profilers.let_go_between_windows(torch_with("13.0"))
    assert os.environ["TEARDOWN_CUPTI"] == "0"
