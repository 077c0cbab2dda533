"""What several commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldsplit.cli.options import shown


def test_paths_are_shown_from_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown(tmp_path / "runs" / "one") == "runs/one"
    assert shown(tmp_path.parent / "two") == str(tmp_path.parent / "two")
    assert shown(Path("runs/one")) == "runs/one"
