"""`python -m goldsplit.games.duel`: what it prints, and that nothing stays behind."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import psutil
import pytest
from tests.unit.games.duel.conftest import is_gone

from goldsplit.games.duel.__main__ import main

PROGRAM = [sys.executable, "-X", "dev", "-W", "error", "-m", "goldsplit.games.duel"]


def test_it_trains_and_sums_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--battles", "5", "--round", "2", "--twin", "fast", "--threads", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:4]] == [
        "battles 0-1",
        "battles 2-3",
        "battles 4-4",
        "all 5 battles",
    ]
    ends = re.search(r"won (\d+), lost (\d+), undecided (\d+)", lines[3])
    assert ends is not None
    assert sum(map(int, ends.groups())) == 5
    assert re.fullmatch(r"\d+ decisions in [\d.]+ s, \d+ per second", lines[4])


@pytest.mark.parametrize("twin", ["plain", "batch"])
def test_it_ends_without_warnings_from_python(twin: str) -> None:
    """In Python's development mode: no unclosed socket, loop or process, and nothing that was not awaited."""
    command = [*PROGRAM, "--battles", "4", "--round", "4", "--twin", twin]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    assert answer.stderr == ""
    assert "all 4 battles" in answer.stdout


def test_a_mistake_has_a_hint_and_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--battles", "0"]) == 2
    assert capsys.readouterr().err == (
        "error: there is nothing to play\nhint: --battles and --round are 1 or more\n"
    )


@pytest.mark.parametrize("twin", ["plain", "batch"])
def test_ctrl_c_leaves_no_server_behind(twin: str) -> None:
    command = [*PROGRAM, "--battles", "100000", "--round", "2", "--threads", "2", "--twin", twin]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("battles 0-1")
        servers = [child.pid for child in psutil.Process(program.pid).children()]
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=60)
    assert (program.returncode, errors) == (130, "interrupted\n")
    assert len(servers) == 1
    assert is_gone(servers[0])
