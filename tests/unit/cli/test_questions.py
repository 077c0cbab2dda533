"""whatif and horizon on the command line: pairs of options, bad numbers, runs that cannot answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from goldsplit.cli import main as main_module
from goldsplit.cli.whatif import _remaining
from goldsplit.store.directory import write_header


@pytest.fixture
def refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """refused("whatif", …): what is said on stderr about a question to an empty run; it must exit with 2."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / ".goldsplit" / "runs" / "empty"
    path.mkdir(parents=True)
    write_header(path, {"id": "empty", "command": ["python"], "status": "complete"})

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["goldsplit", *arguments])
        with pytest.raises(SystemExit) as end:
            main_module.main()
        assert end.value.code == 2
        told = capsys.readouterr()
        assert told.out == ""
        return told.err

    return run


def test_stages_and_factors_come_in_pairs() -> None:
    remaining = _remaining(("env.step", "act"), (2.0, 4.0), ("log",))
    assert remaining == {"env.step": 0.5, "act": 0.25, "log": 0.0}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--stage", "env.step"), "give pairs"),
        (("--stage", "env.step", "--faster", "0"), "not a positive number"),
        (("--stage", "env.step", "--faster", "nan"), "not a positive number"),
        (("--stage", "act", "--faster", "2", "--free", "act"), "more than once"),
        (("--updates-per-step", "-1"), "from 0 on"),
        (("--envs", "0"), "--envs"),
        (("--free", "env.step"), "env.step has no time in this run"),
        (("--envs", "4"), "was not measured"),
        (("--updates-per-step", "1"), "were not measured"),
    ],
)
def test_questions_that_make_no_sense(
    refused: Callable[..., str], arguments: tuple[str, ...], words: str
) -> None:
    assert words in refused("whatif", "empty", *arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give one of"),
        (("--episodes", "5", "--updates", "5"), "give one of"),
        (("--episodes", "0"), "--episodes"),
        (("--episodes", "500"), "were not counted"),
        (("--env-steps", "500"), "goldsplit.count"),
    ],
)
def test_horizons_that_cannot_be_reached(
    refused: Callable[..., str], arguments: tuple[str, ...], words: str
) -> None:
    assert words in refused("horizon", "empty", *arguments)


def test_an_unknown_run_is_answered_with_the_closest(refused: Callable[..., str]) -> None:
    assert "empty" in refused("whatif", "emty")
