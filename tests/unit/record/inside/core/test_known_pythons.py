"""Interpreters that goldsplit was not tested with are recorded in Python, with a note."""

from __future__ import annotations

import sys

import pytest

from goldsplit.record.inside.core.known_pythons import why_unknown


def test_this_one_is_known() -> None:
    assert why_unknown() == ""


def test_a_newer_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 14, 0, "final", 0))
    assert why_unknown().startswith("Python 3.14 is not tested with goldsplit")


def test_nor_is_one_without_a_gil(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version", "3.13.0 experimental free-threading build (main)")
    assert "without a GIL is not tested" in why_unknown()
