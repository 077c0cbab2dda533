"""`python -m goldsplit.games`: the command that compares the twins of a game."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from goldsplit.games import __main__ as command
from goldsplit.games.trajectory import Trajectory


@pytest.mark.needs_torch
def test_equal_twins_are_said_to_be_equal(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["snake", "--episodes", "2"]) == 0
    *twins, verdict = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in twins] == ["plain", "fast", "batch"]
    assert len({line.split(maxsplit=1)[1] for line in twins}) == 1
    assert twins[0].split()[1] == "2"
    assert verdict == "equal"


def test_a_difference_is_said_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def different(*_: Any) -> dict[str, Trajectory]:
        found = {twin: Trajectory() for twin in ("plain", "fast")}
        found["fast"].began(None, None, {})
        return found

    monkeypatch.setattr(command, "trajectories", different)
    assert command.main(["snake"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "DIFFERENT"


def test_a_game_that_cannot_be_made_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ale_py", "torch"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "goldsplit.games.retro.plain", raising=False)
    monkeypatch.delitem(sys.modules, "goldsplit.games.retro.plain_state", raising=False)
    assert command.main(["retro"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: Retro needs ")
    assert "\nhint: pip install 'goldsplit[" in error


@pytest.mark.parametrize("arguments", [["chess"], ["snake", "--episodes", "0"]], ids=str)
def test_bad_arguments_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(arguments)
