"""A summary beside a run: read back as it was written, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goldsplit.model.report import RunSummary
from goldsplit.store.beside_runs.summary_file import keep_summary, read_summary
from goldsplit.store.directory import read_header, write_header

SUMMARY = RunSummary(120.5, "env steps", "env.step", 0.5)


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    write_header(tmp_path, {"id": "one", "status": "complete", "end_ns": 7})
    return tmp_path


def test_it_is_read_back(run_dir: Path) -> None:
    header = read_header(run_dir)
    assert read_summary(run_dir, header) is None
    for summary in (SUMMARY, RunSummary(None, "updates", None, None)):
        keep_summary(run_dir, summary)
        assert read_summary(run_dir, header) == summary
    assert sorted(file.name for file in run_dir.iterdir()) == ["run.json", "summary.json"]


def test_a_run_that_goes_on_has_none(tmp_path: Path) -> None:
    write_header(tmp_path, {"id": "one", "status": "running"})
    keep_summary(tmp_path, SUMMARY)
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_a_run_whose_recorder_was_killed_has_one(tmp_path: Path) -> None:
    """It never writes its end."""
    write_header(tmp_path, {"id": "one", "status": "running", "recorder": [99_999_999, 1]})
    keep_summary(tmp_path, SUMMARY)
    assert read_summary(tmp_path, read_header(tmp_path)) == SUMMARY


@pytest.mark.parametrize(
    "change",
    [
        {"of": 8},
        {"speed": "1e3"},
        {"speed": -1.0},
        {"speed": 1e300},
        {"speed": True},
        {"share": 2.0},
        {"stage": ["env.step"]},
        {"unit": None},
    ],
)
def test_what_is_no_summary_of_this_run_is_none(run_dir: Path, change: dict[str, Any]) -> None:
    keep_summary(run_dir, SUMMARY)
    file = run_dir / "summary.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    assert read_summary(run_dir, read_header(run_dir)) is None


def test_a_strangers_link_is_replaced_and_not_followed(run_dir: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    (run_dir / "summary.json").symlink_to(precious)
    keep_summary(run_dir, SUMMARY)
    assert precious.read_text() == "mine"
    assert read_summary(run_dir, read_header(run_dir)) == SUMMARY


def test_a_run_on_a_read_only_disk_is_no_error(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.mkstemp", refused)
    keep_summary(run_dir, SUMMARY)
    assert read_summary(run_dir, read_header(run_dir)) is None
