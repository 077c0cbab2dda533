"""Wrong input to the command line: a message, a hint, exit code 2, and never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goldsplit.model.recording import FORMAT_VERSION

Command = Callable[..., subprocess.CompletedProcess[str]]


def check_refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert "error:" in done.stderr.lower()
    for word in words:
        assert word in done.stderr


def test_a_command_that_does_not_exist(goldsplit: Command, tmp_path: Path) -> None:
    done = goldsplit("record", "--", "pyhton", "train.py", cwd=tmp_path)
    check_refused(done, "pyhton", "hint:")
    assert list(tmp_path.iterdir()) == [], "nothing is written for a command that cannot start"


def test_a_script_that_is_not_executable(goldsplit: Command, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    check_refused(
        goldsplit("record", "--", "./train.py", cwd=tmp_path), "not executable", "python ./train.py"
    )


def test_no_command_at_all(goldsplit: Command, tmp_path: Path) -> None:
    done = goldsplit("record", cwd=tmp_path)
    assert done.returncode == 2
    assert "COMMAND" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_place_that_cannot_be_written(goldsplit: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = goldsplit("record", "--out", "file/runs", "--", sys.executable, "-c", "print(1)", cwd=tmp_path)
    check_refused(done, "file/runs", "hint:", "--out")
    assert done.stdout == "", "the command was not started"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("game.env:Battle.turn", ("has no '='",)),
        ("game.env.Battle.turn=env.step", ("is not a target", "module:Class.method")),
        ("game:turn=env:step", ("is not a stage name", "did you mean env.step?", "goldsplit stages")),
        ("=env.step", ("is not a target",)),
        ("game:turn=", ("is not a stage name",)),
    ],
)
def test_a_wrong_stage_text(goldsplit: Command, tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    done = goldsplit("record", "--stage", text, "--", sys.executable, "-c", "print(1)", cwd=tmp_path)
    check_refused(done, *words, "hint:")
    assert done.stdout == ""


def test_a_wrong_settings_file(goldsplit: Command, tmp_path: Path) -> None:
    (tmp_path / "goldsplit.toml").write_text('[stage]\n"a:b" = "act"\n')
    done = goldsplit("record", "--", sys.executable, "-c", "print(1)", cwd=tmp_path)
    check_refused(done, "unknown table [stage]", "did you mean [stages]?")
    done = goldsplit("record", "--config", "none.toml", "--", sys.executable, "-c", "1", cwd=tmp_path)
    check_refused(done, "none.toml")


def make_run(root: Path, run_id: str, **header: Any) -> Path:
    path = root / run_id
    path.mkdir(parents=True)
    (path / "run.json").write_text(json.dumps({"format_version": FORMAT_VERSION, "id": run_id, **header}))
    return path


def test_a_run_that_does_not_exist_names_the_closest(goldsplit: Command, tmp_path: Path) -> None:
    root = tmp_path / ".goldsplit" / "runs"
    make_run(root, "20260101-101010-ppo-001", name="baseline")
    check_refused(goldsplit("show", "basline", cwd=tmp_path), "basline", "did you mean baseline?")
    check_refused(goldsplit("show", "20260101-101010-ppo-002", cwd=tmp_path), "20260101-101010-ppo-001")


def test_no_runs_at_all(goldsplit: Command, tmp_path: Path) -> None:
    check_refused(goldsplit("show", cwd=tmp_path), "no runs", "goldsplit record")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"id": "x"}', "\x00\xff", '{"format_version": "one"}', "null"]
)
def test_a_damaged_header(goldsplit: Command, tmp_path: Path, text: str) -> None:
    path = make_run(tmp_path, "broken")
    (path / "run.json").write_bytes(text.encode("latin-1"))
    check_refused(goldsplit("show", str(path), cwd=tmp_path), "run.json", "hint:")


def test_a_newer_format(goldsplit: Command, tmp_path: Path) -> None:
    path = make_run(tmp_path, "future")
    (path / "run.json").write_text('{"format_version": 99}')
    check_refused(
        goldsplit("show", str(path), cwd=tmp_path),
        "format 99",
        f"to {FORMAT_VERSION}",
        "update goldsplit",
    )


def test_a_run_without_anything_but_its_header_can_be_shown(goldsplit: Command, tmp_path: Path) -> None:
    path = make_run(tmp_path, "bare", name="bare", status="crashed")
    done = goldsplit("show", str(path), "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["throughput"]["env_steps"] is None, "never measured is not 0"
    assert report["trust"]["notes"]
    assert goldsplit("show", str(path), cwd=tmp_path).returncode == 0


def test_a_process_whose_file_is_damaged_is_the_cause(goldsplit: Command, tmp_path: Path) -> None:
    """As on a disk that was full from the start: neither was the program too short, nor is it not Python."""
    path = make_run(tmp_path, "full", name="full", status="complete")
    (path / "proc-1-2.jsonl").write_text("")
    (path / "proc-3-4.jsonl").write_text('{"k": "st')
    report = json.loads(goldsplit("show", str(path), "--json", cwd=tmp_path).stdout)
    notes = " ".join(report["trust"]["notes"])
    assert "first line is damaged" in notes
    assert "nothing was recorded" not in notes


def test_attach_to_nobody(goldsplit: Command, tmp_path: Path) -> None:
    check_refused(goldsplit("attach", "99999999", cwd=tmp_path), "99999999", "hint:")
    check_refused(goldsplit("attach", "1.5", cwd=tmp_path))


STAGED_BUT_NEVER_IMPORTED = """
import time
end = time.monotonic() + 0.6
class Game:
    def reset(self): return 0
    def step(self, action): sum(range(5000)); return 0, 0.0, False, False, {}
game = Game()
while time.monotonic() < end: game.step(0)
"""


def test_a_stage_target_that_never_came(record: Callable[..., Any]) -> None:
    """A miss is an error (2) where the command itself had none; the report is there and says it too."""
    options = ("--no-stacks", "--stage", "core.battle:Battle.enemy_turn=env.opponent")
    run = record(STAGED_BUT_NEVER_IMPORTED, options=options)
    assert run.exit_code == 2
    assert "Traceback" not in run.stderr
    notes = " ".join(run.report["trust"]["notes"])
    assert "core.battle:Battle.enemy_turn" in notes
    assert "core.battle:Battle.enemy_turn" in run.stderr
    assert "hint:" in run.stderr


def test_a_stage_target_that_is_not_in_its_module(record: Callable[..., Any]) -> None:
    files = {"battle.py": "class Battle:\n    def enemy_turn(self): pass\n"}
    options = ("--no-stacks", "--stage", "battle:Battle.enemy_tunr=env.opponent")
    run = record("import battle\n" + STAGED_BUT_NEVER_IMPORTED, options=options, files=files)
    notes = " ".join(run.report["trust"]["notes"])
    assert "battle:Battle.enemy_tunr" in notes
    assert "enemy_tunr" in run.stderr
    assert run.exit_code == 2
    failing = record("import sys\nsys.exit(5)\n", options=options)
    assert failing.exit_code == 5, "the command's own error goes first"
