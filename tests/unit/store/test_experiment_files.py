"""What was tried is kept with the recording, and findings get it back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from goldsplit.errors import DamagedRunError, OutputError, RunNotFoundError
from goldsplit.model.experiment.design import Plan, Variant
from goldsplit.model.experiment.tried import Candidate, Measured, Tried, TryResult
from goldsplit.model.finding import Finding
from goldsplit.model.wire import File
from goldsplit.store.experiment_files import (
    create_experiment,
    read_measured,
    read_plan,
    read_result,
    read_trials,
    with_measured,
    write_tried,
)


def a_result() -> TryResult:
    rows = (
        Tried(
            Candidate("threads:1", "r", "t", 1.6, "do"), Measured(1.5, 1.41, 1.6, 8), "yes", "", "keep", "w"
        ),
        Tried(Candidate("memo:a:b", "r", "t", None, "do"), Measured(), "no", "", "drop", "w"),
    )
    return TryResult("run", ("python",), rows, None)


def test_findings_get_what_was_measured(tmp_path: Path) -> None:
    write_tried(tmp_path, a_result().to_json())
    measured = read_measured(tmp_path)
    tried = Finding("r", "t", None, None, {}, 0.3, 1.6, "high", "", "", overlays=("other", "threads:1"))
    other = Finding("r", "t", None, None, {}, 0.3, 1.6, "high", "", "")
    first, second = with_measured((tried, other), measured)
    assert first.measured is not None
    assert (first.measured.gain, first.measured.pairs, first.measured.verdict) == (1.5, 8, "keep")
    assert second.measured is None
    assert measured[1].gain is None


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "goldsplit-try", "version": 2, "tried": []}', '{"format": "goldsplit-try"'],
)
def test_what_cannot_be_read_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / File.TRIED).write_text(text)
    assert read_measured(tmp_path) == []
    (tmp_path / File.TRIED).write_text(
        json.dumps({"format": "goldsplit-try", "version": 1, "tried": [{"a": 1}]})
    )
    assert read_measured(tmp_path) == []


def test_a_directory_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"tried\.json"):
        write_tried(tmp_path / "gone", {})


@pytest.mark.parametrize("name", [File.TRIED, "plan.json", "trials.jsonl", "result.json"])
def test_a_file_that_never_ends_is_refused(name: str, tmp_path: Path) -> None:
    for kind in ("fifo", "device", "folder"):
        folder = tmp_path / kind
        folder.mkdir()
        if kind == "fifo":
            os.mkfifo(folder / name)
        elif kind == "device":
            (folder / name).symlink_to("/dev/zero")
        else:
            (folder / name).mkdir()
        assert read_measured(folder) == []
        assert read_trials(folder) == []
        assert read_result(folder) is None
        with pytest.raises((DamagedRunError, RunNotFoundError)):
            read_plan(folder)


@pytest.mark.parametrize(
    "row",
    [
        '{"pairs": 1e400}',
        '{"measured_gain": NaN}',
        '{"measured_low": "1"}',
        '{"overlay": ["x"]}',
        "null",
        "[" * 100_000,
    ],
)
def test_what_nobody_measured_is_left_out(row: str, tmp_path: Path) -> None:
    write_tried(tmp_path, a_result().to_json())
    whole = json.loads((tmp_path / File.TRIED).read_text())
    assert len(read_measured(tmp_path)) == len(whole["tried"])
    first = json.dumps(whole["tried"][0])
    text = first[:-1] + ", " + row[1:] if row.startswith("{") else row
    (tmp_path / File.TRIED).write_text(json.dumps({**whole, "tried": ["HERE"]}).replace('"HERE"', text))
    assert read_measured(tmp_path) == []


@pytest.mark.parametrize("pairs", [0, 2147483648])
def test_a_plan_that_nobody_could_carry_out_is_refused(pairs: int, tmp_path: Path) -> None:
    plan = Plan("trial", ("python", "train.py"), (Variant("base"), Variant("other")), pairs=pairs)
    create_experiment(tmp_path / "trial", plan)
    with pytest.raises(DamagedRunError, match="impossible number of pairs"):
        read_plan(tmp_path / "trial")
