"""The line of a running trial stays on one row, so that it can be replaced."""

from __future__ import annotations

import pytest

from goldsplit.cli.experiments.progress_line import ProgressLine, one_row
from goldsplit.cli.experiments.try_command import TryLine
from goldsplit.experiment.carry_out import Progress
from goldsplit.experiment.remedies.try_task import Step

LONG = "constant:goldsplit.games.skirmish.plain_bot:check_smoke_in_every_turn_of_every_game"


@pytest.fixture(autouse=True)
def of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_a_long_remedy_does_not_wrap(capsys: pytest.CaptureFixture[str]) -> None:
    tried, compared = TryLine(quiet=False), ProgressLine()
    tried.on_terminal = compared.on_terminal = True
    tried.before(Step(LONG, 2, 3, 66.0))
    compared.before(Progress(2, 3, 0, LONG, 66.0))
    rows = capsys.readouterr().err.replace("\x1b[K", "").split("\r")[1:]
    assert [len(row) for row in rows] == [79, 79]
    assert rows[0].startswith("trial 2 of 3, all of it ends in 66 s at the latest: constant:")


def test_a_short_one_is_shown_whole() -> None:
    assert one_row("trial 1 of 2") == "trial 1 of 2 …"
