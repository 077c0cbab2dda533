"""goldsplit report without a recording process: where the page goes, and what is refused."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

import pytest

from goldsplit.cli import main as main_module
from goldsplit.store.directory import write_header


@pytest.fixture
def run_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / ".goldsplit" / "runs" / "a"
    path.mkdir(parents=True)
    write_header(path, {"id": "a", "command": ["python", "train.py"], "status": "complete"})
    return path


def command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["goldsplit", *arguments])
    try:
        main_module.main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_the_page_is_written_and_said_so_on_stderr(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, "report", "a") == 0
    assert capsys.readouterr() == ("", "written: report.html\n")
    assert Path("report.html").read_text().startswith("<!doctype html>")


def test_the_page_goes_to_stdout_on_request(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert command(monkeypatch, "report", "-o", "-") == 0
    sys.stdout.flush()
    assert capfdbinary.readouterr().out.startswith(b"<!doctype html>")
    assert not Path("report.html").exists()


def test_a_file_that_cannot_be_written_is_refused_with_a_hint(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, "report", "-o", "nowhere/report.html") == 2
    told = capsys.readouterr().err
    assert "error: cannot write nowhere/report.html" in told
    assert "hint:" in told


def test_an_unknown_run_is_refused(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, "report", "b") == 2
    assert "hint:" in capsys.readouterr().err


def test_open_hands_the_file_to_a_browser(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address) and False)
    assert command(monkeypatch, "report", "--open") == 0
    assert opened == [(run_dir.parents[2] / "report.html").as_uri()]
    assert "open the file by hand" in capsys.readouterr().err
