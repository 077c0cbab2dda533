"""The source of a program that is already running is read from outside."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goldsplit.record.outside import target_source
from goldsplit.record.outside.target_source import read_target_source
from goldsplit.record.own_source import load

LIBRARY = """
class Meadow:
    def advance(self, choice):
        return choice, 1.0, choice > 3
"""
PROGRAM = """
import sys
from sheep import Meadow

def graze(meadow):
    over = False
    while not over:
        choice = think(meadow)
        view, reward, over = meadow.advance(choice)

def think(meadow):
    return 1

if len(sys.argv) > 1:
    graze(Meadow())
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program that waits; it finds a module by PYTHONPATH."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "sheep.py").write_text(LIBRARY)
    (tmp_path / "train.py").write_text(PROGRAM)
    running = subprocess.Popen(
        [sys.executable, "train.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": "lib"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    yield running
    running.communicate(timeout=20)


def test_a_running_program_is_read(program: subprocess.Popen[str], tmp_path: Path) -> None:
    run_dir = tmp_path / "run"
    run_dir.mkdir()
    assert read_target_source(program.pid, run_dir) == []
    found = load(str(run_dir))
    assert set(found) == {str(tmp_path / "train.py"), str(tmp_path / "lib" / "sheep.py")}
    stages = {one.function: one.stage for functions in found.values() for one in functions}
    assert stages["Meadow.advance"] == "env.step"
    assert stages["think"] == "act"


def test_an_error_becomes_a_note(
    program: subprocess.Popen[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(target_source, "named_functions", broken)
    (note,) = read_target_source(program.pid, tmp_path)
    assert "too deep" in note
    assert read_target_source(99_999_999, tmp_path) == []
