"""Where results go is asked before minutes are spent on them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from goldsplit.cli.main import cli
from goldsplit.cli.output_file import check_output, output_folder, write_output
from goldsplit.errors import OutputError


def test_what_can_be_written(tmp_path: Path) -> None:
    check_output(None, Path("-"), tmp_path / "new.json")
    write_output("text", tmp_path / "new.json")
    check_output(tmp_path / "new.json")


@pytest.mark.parametrize(("name", "why"), [("", "it is a directory"), ("no/r.json", "there is no directory")])
def test_what_cannot(name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=why) as caught:
        check_output(tmp_path / name)
    assert caught.value.hint


def test_a_folder_is_made_where_it_is_missing(tmp_path: Path) -> None:
    assert output_folder(tmp_path / "a" / "b").is_dir()
    assert output_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot make the directory"):
        output_folder(tmp_path / "file")


@pytest.mark.parametrize(
    "arguments",
    [
        ["ab", "--json", "no/r.json", "--variant", "a:env=A=1", "--", "true"],
        ["ab", "--markdown", "no/r.md", "--variant", "a:env=A=1", "--", "true"],
        ["try", "--json", "no/r.json", "--", "true"],
    ],
)
def test_commands_ask_before_their_first_trial(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, arguments)
    assert isinstance(result.exception, OutputError)
    assert "there is no directory no" in result.exception.message
    assert list(tmp_path.iterdir()) == []
