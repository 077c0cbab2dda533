"""What a shell is offered after the tab key."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete, get_completion_class

from goldsplit.cli.completion import without_breaks
from goldsplit.cli.main import cli
from goldsplit.store.directory import write_header


def offered(*words: str) -> list[str]:
    """What completes the last word."""
    shell = ShellComplete(cli, {}, "goldsplit", "_GOLDSPLIT_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


@pytest.fixture
def two_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("base", "\x1b[31m")):
        path = tmp_path / ".goldsplit" / "runs" / f"2026-{number}"
        path.mkdir(parents=True)
        write_header(path, {"id": path.name, "name": name, "started": number, "status": "complete"})
    return tmp_path


def test_runs_the_newest_first(two_runs: Path) -> None:
    assert offered("show", "") == ["last", "2026-1", "2026-0", "base"]
    assert offered("compare", "base", "2026-1") == ["2026-1"]
    assert offered("report", "--out", str(two_runs), "") == ["last"]


def test_no_runs_is_no_complaint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert offered("show", "x") == []


def test_formats_stages_and_rules() -> None:
    assert offered("export", "--format", "sp") == ["speedscope"]
    assert offered("export", "--table", "la") == ["lanes"]
    assert offered("whatif", "--stage", "env.op") == ["env.opponent"]
    assert offered("record", "--stage", "game:Game.foe=env.op") == ["game:Game.foe=env.opponent"]
    assert offered("explain", "barr") == ["barrier-bound"]
    assert offered("whatif", "--free", "learn.op") == ["learn.optimizer"]
    assert "record" in offered("rec")


def test_a_command_is_completed_as_without_goldsplit_before_it() -> None:
    shell = ShellComplete(cli, {}, "goldsplit", "_GOLDSPLIT_COMPLETE")
    for words in (["record", "--", "python"], ["try", "python"], ["ab"]):
        (found,) = shell.get_completions(words, "tra")
        assert (found.type, found.value) == ("file", "tra"), words


def test_a_stage_is_completed_where_the_shell_breaks_the_word() -> None:
    assert offered("record", "--stage", "game", ":", "Game.foe", "=", "env.op") == ["env.opponent"]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("export --format = spe", ["speedscope"]),
        ("export --format =", ["csv", "flamegraph", "json", "markdown", "perfetto", "speedscope"]),
        ("export --format spe", ["speedscope"]),
        ("whatif --free = learn.op", ["learn.optimizer"]),
        ("record --stage game : Game.foe = env.op", ["env.opponent"]),
    ],
)
def test_bash_breaks_words_at_equals_signs(
    monkeypatch: pytest.MonkeyPatch, words: str, values: list[str]
) -> None:
    monkeypatch.setenv("COMP_WORDS", f"goldsplit {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    bash = get_completion_class("bash")
    assert bash is not None
    shell = bash(cli, {}, "goldsplit", "_GOLDSPLIT_COMPLETE")
    assert [item.value for item in shell.get_completions(*shell.get_completion_args())] == values


def test_words_of_the_command_stay_as_they_are() -> None:
    assert without_breaks(["record", "--rate", "=", "5", "--", "x", "--lr", "=", "1"]) == [
        *("record", "--rate", "5", "--", "x", "--lr", "=", "1")
    ]
