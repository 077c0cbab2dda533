"""Why a recording is empty."""

from __future__ import annotations

import pytest

from goldsplit.analyse.empty_recording import deaf_option, nothing_recorded


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("python -E train.py", "-E"),
        ("/usr/bin/python3.12 -u -Es train.py", "-Es"),
        ("env A=1 python -I -m train", "-I"),
        ("python -S -c pass", "-S"),
        ("python train.py -E", ""),
        ("python -m train -I", ""),
        ("python -c pass -S", ""),
        ("python -W error -u train.py", ""),
        ("true -E", ""),
    ],
)
def test_options_that_keep_the_recorder_out(command: str, option: str) -> None:
    assert deaf_option(command.split()) == option


def test_the_cause_is_named() -> None:
    assert "python -E does not load what starts goldsplit" in nothing_recorded(
        {"command": ["python", "-E", "x.py"]}
    )
    short = {"command": ["true"], "start_ns": 0, "end_ns": 30_000_000}
    assert "ended after 0.03 s" in nothing_recorded(short)
    assert "too short, or is not Python" in nothing_recorded({})
