"""compare, ledger, sweep and tune: what they refuse, empty places, and commands that can be run."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from click.testing import CliRunner

from goldsplit.cli.experiments.tune import write_profiles
from goldsplit.cli.main import cli
from goldsplit.errors import GoldsplitError
from goldsplit.experiment.comparison import compare
from goldsplit.model.experiment.conclusion import Verdict
from goldsplit.model.experiment.design import Plan, Variant


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


def test_the_command_in_a_profile_has_its_path(tmp_path: Path) -> None:
    variants = (Variant("base", settings={"n": "1"}), Variant("fast", settings={"n": "2"}))
    plan = Plan("t", ("python", "train.py", "{n}"), variants)
    found = compare(plan, [])
    fast = dataclasses.replace(
        found.judged[0],
        verdict=Verdict.FASTER,
        effect=dataclasses.replace(found.judged[0].effect, pairs=8, gain=2.0, low=1.5, high=2.5),
    )
    write_profiles(plan, dataclasses.replace(found, judged=(fast,)), tmp_path)
    file = tmp_path / "speed.toml"
    assert f"record --profile {file} -- python train.py" in file.read_text()
