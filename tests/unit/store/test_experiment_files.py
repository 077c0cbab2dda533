"""What was tried is kept with the recording, and findings get it back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldsplit.errors import OutputError
from goldsplit.model.experiment.tried import Candidate, Measured, Tried, TryResult
from goldsplit.model.finding import Finding
from goldsplit.model.wire import File
from goldsplit.store.experiment_files import read_measured, with_measured, write_tried


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
