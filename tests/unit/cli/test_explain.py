"""goldsplit explain: rule pages in the terminal."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from goldsplit.cli.main import cli
from goldsplit.diagnose.rules import RULES
from goldsplit.errors import ConfigError


def test_every_rule_is_listed_and_explained() -> None:
    runner = CliRunner()
    listed = runner.invoke(cli, ["explain"]).output
    for rule in RULES:
        assert f"{rule.code} " in listed
        page = runner.invoke(cli, ["explain", rule.code]).output
        assert page.startswith(f"# {rule.code}\n")
        assert "## What to do" in page


def test_an_unknown_rule_answers_with_the_closest() -> None:
    with pytest.raises(ConfigError, match="there is no rule 'constant-results'") as error:
        CliRunner().invoke(cli, ["explain", "constant-results"], catch_exceptions=False)
    assert error.value.hint == "did you mean constant-result?"
