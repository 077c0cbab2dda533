"""The header of a run, field by field."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from goldsplit.model.wire import Header
from goldsplit.record.outside.overlaid_run import told_in
from goldsplit.record.outside.run_context import describe_run
from goldsplit.store.checked.header import checked_header


def test_a_real_header_stays_as_it_is() -> None:
    described = describe_run("a-1", "a", ("python", "train.py", "--seed", "3"))
    header = {"format_version": 3, **told_in(described, ("threads:9", "quiet"))}
    kept = checked_header(header)
    assert kept == {key: value for key, value in header.items() if value is not None}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (Header.ID, 7),
        (Header.OVERLAYS, "threads:1"),
        (Header.OVERLAY_VARIABLES, {"threads:1": {"OMP_NUM_THREADS": [1, 2]}}),
        (Header.NAME, ["x"]),
        (Header.COMMAND, "python train.py"),
        (Header.COMMAND, [1]),
        (Header.STATUS, {}),
        (Header.EXIT_CODE, "0"),
        (Header.STARTED, "yesterday"),
        (Header.STARTED, 1e300),
        (Header.STARTED, math.nan),
        (Header.STARTED, -1),
        (Header.START_NS, 1 << 80),
        (Header.END_NS, [1]),
        (Header.PACKAGES, ["torch"]),
        (Header.GIT, 5),
        (Header.GIT, {"changed": True}),
        (Header.GIT, {"revision": 5, "changed": True}),
        (Header.ENVIRONMENT, {"cores": "many"}),
        (Header.ENVIRONMENT, {"cores": -1}),
        (Header.ENVIRONMENT, {"x": [1]}),
        (Header.STAGES, {"a:b": 5}),
        (Header.NOTES, "a note"),
        (Header.RECORDER, [1]),
        (Header.RECORDER, [1 << 40, 5]),
        (Header.TARGET_PID, -4),
    ],
)
def test_what_no_run_has_is_left_out_and_noted(key: str, value: Any) -> None:
    kept = checked_header({"format_version": 3, key: value})
    assert key == Header.NOTES or key not in kept
    assert kept[Header.NOTES] == [f"run.json: `{key}` is damaged and was left out"]


def test_unknown_fields_are_not_passed_on() -> None:
    assert checked_header({"format_version": 3, "odd": Path}) == {"format_version": 3}
