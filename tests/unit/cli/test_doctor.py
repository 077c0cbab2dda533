"""`goldsplit doctor`: what it prints and how it exits."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from goldsplit.cli.doctor import can_record, checkup_text, doctor
from goldsplit.record.outside import machine_checks as checkup
from goldsplit.record.outside.machine_checks import Check

GOOD = Check("python", True, "3.11.7", needed=True)
ADVICE = Check("threads", True, "not set", "try OMP_NUM_THREADS=1")
NO_STACKS = Check("ptrace", False, "ptrace_scope is 3", "restart")
FATAL = Check("process following", False, "neither process recorded itself", "GOLDSPLIT_DEBUG=1", needed=True)


def test_marks_and_hints() -> None:
    text = checkup_text([GOOD, ADVICE, NO_STACKS])
    assert [line.split()[0] for line in text.splitlines() if line and not line.startswith(" ")] == [
        "ok",
        "note",
        "FAIL",
        "Recording",
    ]
    assert "hint: try OMP_NUM_THREADS=1" in text
    assert "Recording works, with less detail: ptrace." in text


def test_only_what_is_needed_decides() -> None:
    assert can_record([GOOD, NO_STACKS])
    assert not can_record([GOOD, FATAL])
    assert "Everything" in checkup_text([GOOD])


@pytest.mark.parametrize(("checks", "code"), [([GOOD, NO_STACKS], 0), ([GOOD, FATAL], 1)])
def test_exit_code(monkeypatch: pytest.MonkeyPatch, checks: list[Check], code: int) -> None:
    def examine(root: Path) -> list[Check]:
        return checks

    monkeypatch.setattr(checkup, "examine", examine)
    result = CliRunner().invoke(doctor, [])
    assert result.exit_code == code
    assert checks[-1].name in result.output


@pytest.mark.slow
def test_this_machine_can_record(tmp_path: Path) -> None:
    result = CliRunner().invoke(doctor, ["--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "process following" in result.output
    assert "stack sampling" in result.output
