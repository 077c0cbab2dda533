"""goldsplit.toml and --stage: good ones are read, bad ones say what is wrong and what to write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import goldsplit
from goldsplit.errors import ConfigError
from goldsplit.model.wire import UNSTAGED
from goldsplit.record.inside import stage_blocks
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.store.config import load_stages, read_config


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "target", "stage"),
    [
        ("core.env:Battle.enemy_turn=env.opponent", "core.env:Battle.enemy_turn", "env.opponent"),
        ("train:main = act", "train:main", "act"),
        ("a:b=game.path_finding.hex2", "a:b", "game.path_finding.hex2"),
        ("a:b=count:kills", "a:b", "count:kills"),
        ("a:b=none", "a:b", "none"),
        ("__main__:Env.step=env.step", "__main__:Env.step", "env.step"),
    ],
)
def test_good_stage_texts(text: str, target: str, stage: str) -> None:
    assert load_stages(None, (text,)) == {target: stage}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a:b", "has no '='"),
        ("a.b=act", "is not a target"),
        ("a:=act", "is not a target"),
        (":b=act", "is not a target"),
        ("a b:c=act", "is not a target"),
        ("a:b:c=act", "is not a target"),
        ("a:b=", "is not a stage name"),
        ("a:b=ünï", "is not a stage name"),
        ("a:b=count:Kills", "is not a stage name"),
        ("a:b=count:", "is not a stage name"),
        ("a:b=1st", "is not a stage name"),
        ("", "has no '='"),
    ],
)
def test_bad_stage_texts(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as error:
        load_stages(None, (text,))
    assert error.value.hint
    assert "--stage" in error.value.message


def test_a_stage_that_cannot_be_names_the_closest() -> None:
    with pytest.raises(ConfigError) as error:
        load_stages(None, ("a:b=énv.step",))
    assert "did you mean env.step?" in error.value.hint


@pytest.mark.parametrize("text", ["My stage", "env/step", "a..b", "ünï", "1x", "", "none", "act", "Env.Step"])
def test_code_and_options_take_the_same_names(
    recording_api: ThreadState, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(stage_blocks, "_told", set())
    monkeypatch.setattr(stage_blocks, "_NAMES", {})
    with goldsplit.stage(text):
        in_code = recording_api.current.stage
    refused = any("is left out" in event.get("text", "") for event in ENGINE.events)
    assert refused == (in_code == recording_api.root.stage)
    if text == UNSTAGED:  # in options it takes a stage away
        assert refused
    elif refused:
        with pytest.raises(ConfigError) as error:
            load_stages(None, (f"a:b={text}",))
        assert error.value.hint in ENGINE.events[-1]["text"]
    else:
        assert load_stages(None, (f"a:b={text}",)) == {"a:b": in_code}


def test_the_settings_file_of_the_directory_is_read_and_the_command_line_wins(tmp_path: Path) -> None:
    (tmp_path / "goldsplit.toml").write_text(
        '[stages]\n"core.env:Battle.enemy_turn" = "env.opponent"\n"a:b" = "act"\n'
        '[counters]\n"a:c" = "kills"\n'
    )
    assert load_stages(None, ("a:b=env.mask",)) == {
        "core.env:Battle.enemy_turn": "env.opponent",
        "a:b": "env.mask",
        "a:c": "count:kills",
    }


def test_what_is_no_file_in_the_place_of_the_settings_is_not_passed_over(tmp_path: Path) -> None:
    for make in (Path.mkdir, lambda path: path.symlink_to("nowhere"), os.mkfifo):
        make(place := tmp_path / "goldsplit.toml")
        with pytest.raises(ConfigError, match=r"goldsplit\.toml in this folder is no file") as error:
            load_stages(None, ())
        assert "--config" in error.value.hint
        place.rmdir() if place.is_dir() else place.unlink()


def test_no_settings_file_is_fine() -> None:
    assert load_stages(None, ()) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[stages", "not valid TOML"),
        ('stages = "x"', "must be a table"),
        ('[stage]\n"a:b" = "act"', r"unknown table \[stage\]"),
        ('[stages]\n"a.b" = "act"', "is not a target"),
        ('[stages]\n"a:b" = "2nd act"', "is not a stage name"),
        ('[stages]\n"a:b" = 5', "is not a stage name"),
        ('[stages]\n"a:b" = ["act"]', "is not a stage name"),
        ('[counters]\n"a:b" = "two words"', "two words"),
        ('[counters]\n"a:b" = 5', "5"),
    ],
)
def test_bad_settings_files(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=words) as error:
        read_config(path)
    assert error.value.hint
    assert "bad.toml" in error.value.message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml"):
        load_stages(tmp_path / "none.toml", ())
    with pytest.raises(ConfigError):
        load_stages(tmp_path, ())
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not valid TOML"):
        read_config(tmp_path / "binary.toml")


def test_progress_is_a_target() -> None:
    assert load_stages(None, ("a:b=act",), "game:Board.push") == {"a:b": "act", "game:Board.push": "progress"}
    with pytest.raises(ConfigError, match=r"--progress: 'Board\.push' is not a target"):
        load_stages(None, (), "Board.push")
