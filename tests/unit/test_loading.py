"""goldsplit.load: a run as a typed object."""

from __future__ import annotations

from pathlib import Path

import pytest

import goldsplit
from goldsplit.errors import RunNotFoundError

RUN = next(path for path in sorted(Path(__file__).parents[1].glob("fuzz/runs/*")) if path.is_dir())


def test_a_run_is_loaded_by_its_path() -> None:
    report = goldsplit.load(RUN)
    assert report.path == RUN
    assert report.profile.stages
    assert report.to_json()["format"] == "goldsplit-report"


def test_a_notebook_shows_the_page() -> None:
    shown = goldsplit.load(RUN)._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<script" not in shown, "the page is escaped inside the attribute"


def test_no_run_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(RunNotFoundError) as error:
        goldsplit.load(root=tmp_path)
    assert error.value.hint
