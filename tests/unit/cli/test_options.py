"""What several commands share."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from goldsplit.cli.main import cli
from goldsplit.cli.options import shown


def test_paths_are_shown_from_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown(tmp_path / "runs" / "one") == "runs/one"
    assert shown(tmp_path.parent / "two") == str(tmp_path.parent / "two")
    assert shown(Path("runs/one")) == "runs/one"


def test_out_means_one_thing() -> None:
    texts = {
        option.help
        for command in cli.commands.values()
        for option in command.params
        if isinstance(option, click.Option) and "--out" in option.opts
    }
    assert texts == {"Directory that holds the runs.  [default: .goldsplit/runs]"}
