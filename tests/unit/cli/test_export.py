"""`goldsplit export` and `goldsplit plan` without processes: a bare run, and wrong input."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from goldsplit.cli import main as main_module
from goldsplit.cli.export import FORMATS, TABLES
from goldsplit.report.formats import csv as csv_module
from goldsplit.store.directory import write_header


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    """command("export", …): run it in this process beside one bare run named `bare`; its exit code."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / ".goldsplit" / "runs" / "bare"
    path.mkdir(parents=True)
    write_header(
        path, {"id": "bare", "name": "bare", "command": ["python", "train.py"], "status": "complete"}
    )

    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["goldsplit", *arguments])
        try:
            main_module.main()
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    return run


@pytest.mark.parametrize("wanted", FORMATS)
def test_a_run_with_nothing_in_it_can_be_exported(
    wanted: str, command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("export", "--format", wanted, "-o", "out") == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "written: out\n")
    assert (tmp_path / "out").read_text()


def test_to_stdout_by_default(command: Callable[..., int], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert command("export", "bare", "--format", "json") == 0
    assert json.loads(capfdbinary.readouterr().out)["run"]["id"] == "bare"
    assert command("plan") == 0
    assert capfdbinary.readouterr().out.startswith(b"# Performance plan: bare")


def test_a_dash_is_stdout(
    command: Callable[..., int], capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    assert command("export", "--format", "json", "-o", "-", "bare") == 0
    assert json.loads(capfdbinary.readouterr().out)
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("table", TABLES)
def test_every_table(table: str, command: Callable[..., int]) -> None:
    assert command("export", "--format", "csv", "--table", table, "-o", "out.csv") == 0
    assert set(TABLES) == set(csv_module.TABLES)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export", "--format", "flamgraph"), ("unknown format 'flamgraph'", "did you mean flamegraph?")),
        (("export", "--format", "zzz"), ("unknown format 'zzz'", "hint: there are: csv")),
        (("export", "--format", "csv", "--table", "hotspot"), ("did you mean hotspots?",)),
        (("export", "--format", "json", "--table", "lanes"), ("--table is for --format csv", "hint:")),
        (("export", "--format", "json", "-o", "none/here.json"), ("cannot write none/here.json", "hint:")),
        (("export", "bear", "--format", "json"), ("no run 'bear'", "did you mean bare?")),
        (("export",), ("--format",)),
        (("plan", "-o", "none/plan.md"), ("cannot write none/plan.md", "hint:")),
        (("plan", "-o", "."), ("cannot write .", "hint:")),
    ],
)
def test_wrong_input_is_refused(
    command: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    assert command(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    for word in words:
        assert word in printed.err
