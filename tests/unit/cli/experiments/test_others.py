"""compare, ledger and sweep: what they refuse, and empty places."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from goldsplit.cli.main import cli
from goldsplit.errors import GoldsplitError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "a", "b"], "no runs"),
        (["sweep", "--set", "n=1,2", "--", "true"], "has no {n}"),
        (["sweep", "--set", "n", "--", "true", "{n}"], "names no values"),
        (["sweep", "--set", "n=1,2", "--metric", "fps", "--", "true", "{n}"], "no metric"),
        (["sweep", "--set", "n=1,2", "--", "no-such-program", "{n}"], "cannot run"),
    ],
)
def test_wrong_input(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, arguments)
    assert isinstance(result.exception, GoldsplitError)
    assert message in result.exception.message
    assert result.exception.hint
    assert list(tmp_path.iterdir()) == []


def test_an_empty_ledger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["ledger"])
    assert result.exit_code == 0
    assert "no experiments" in result.output
    assert '"rows": []' in CliRunner().invoke(cli, ["ledger", "--json"]).output
