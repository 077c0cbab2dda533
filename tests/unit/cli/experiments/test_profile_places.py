"""Settings of a profile in a recording's command, and in its report."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from goldsplit import pipeline
from goldsplit.cli.experiments.profile_places import filled, keep_profile
from goldsplit.cli.experiments.tune import recordable
from goldsplit.cli.main import cli
from goldsplit.errors import ConfigError
from goldsplit.model.experiment.design import Plan, Variant
from goldsplit.model.wire import File
from goldsplit.report.overlay_text import profile_line
from goldsplit.store.beside_runs.settings_profile import read_profile

PROFILE = """with = ["threads:{threads}"]
[settings]
burn = "800"
threads = "1"
[env]
FOO = "1"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "speed.toml"
    made.write_text(PROFILE)
    return made


def test_settings_are_put_in_and_other_braces_stay(file: Path) -> None:
    command = ("python", "t.py", "--burn", "{burn}", "--file", "model_{epoch}.pt", '{"a": 1}')
    assert filled(command, read_profile(file), file) == (*command[:3], "800", *command[4:])


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("python", "t.py"), "no {burn}", "write '{burn}' where"),
        (("python", "t.py", "{bum}"), "no {burn}", "did you mean '{burn}' where it has '{bum}'?"),
        (("python", "t.py", "{burn}", "{bunr}"), "no setting 'bunr'", "did you mean {burn}?"),
        (("python", "t.py", "{burn}", "{seed}"), "sets no seed", "write a number"),
    ],
)
def test_what_would_be_lost_is_refused(words: tuple[str, ...], message: str, hint: str, file: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        filled(words, read_profile(file), file)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_the_command_stops_before_it_records(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    result = CliRunner().invoke(cli, ["record", "--profile", "speed.toml", "--", "true"])
    assert isinstance(result.exception, ConfigError)
    assert [one.name for one in file.parent.iterdir()] == ["speed.toml"]


def test_the_report_names_what_was_set(file: Path, tmp_path: Path) -> None:
    keep_profile(tmp_path, read_profile(file), file)
    (line,) = profile_line(pipeline._applied(tmp_path))
    assert line.text == "speed.toml: burn=800, threads=1; variables FOO=1"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"file": 1, "settings": {}, "variables": {}}', '{"settings": 1}']
)
def test_a_damaged_note_of_it_says_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / File.PROFILE).write_text(text)
    assert profile_line(pipeline._applied(tmp_path)) == []


def test_the_written_command_can_be_recorded() -> None:
    plan = Plan("t", ("python", "t.py", "{burn}", "--seed", "{seed}"), (Variant("base"),), seed=7)
    assert recordable(plan) == ["python", "t.py", "{burn}", "--seed", "7"]
