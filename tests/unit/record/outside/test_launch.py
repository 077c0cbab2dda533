"""Starting a command: its environment, what is refused, the name of its end; and a run's description."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from goldsplit import pipeline
from goldsplit.errors import AttachError, CommandError
from goldsplit.model.wire import Counter
from goldsplit.record.outside.attaching import attachable
from goldsplit.record.outside.launch import (
    AUTOSTART,
    RecordOptions,
    check_command,
    child_environment,
    loop_view,
    status_of,
)
from goldsplit.record.outside.run_context import describe_run, installed, seed_in
from goldsplit.record.outside.sampler import LoopView, is_python
from goldsplit.record.outside.system import SystemMonitor


def test_the_environment_of_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", "mine")
    monkeypatch.setenv("FOO", "bar")
    found = child_environment(tmp_path, 17, {"a:b": "act"})
    assert found["PYTHONPATH"] == f"{AUTOSTART}{os.pathsep}mine"
    assert found["FOO"] == "bar"
    assert json.loads(found["GOLDSPLIT_STAGES"]) == {"a:b": "act"}
    assert (found["GOLDSPLIT_RUN_DIR"], found["GOLDSPLIT_RUN_START_NS"]) == (str(tmp_path), "17")
    monkeypatch.delenv("PYTHONPATH")
    assert child_environment(tmp_path, 1, {})["PYTHONPATH"] == str(AUTOSTART)
    assert "GOLDSPLIT_RUN_DIR" not in os.environ
    assert (AUTOSTART / "sitecustomize.py").is_file()


def test_commands_that_cannot_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_command((sys.executable,))
    check_command(("sh",))
    with pytest.raises(CommandError, match="pyhton") as error:
        check_command(("pyhton", "train.py"))
    assert "--" in error.value.hint
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("")
    with pytest.raises(CommandError) as error:
        check_command(("./train.py",))
    assert "not executable" in error.value.hint
    with pytest.raises(CommandError, match="it is a directory"):
        check_command((str(tmp_path),))


@pytest.mark.parametrize(
    ("code", "received", "status"),
    [
        (0, [], "complete"),
        (1, [], "crashed"),
        (3, [], "crashed"),
        (-signal.SIGSEGV, [], "crashed"),
        (-signal.SIGKILL, [], "killed"),
        (-signal.SIGKILL, [signal.SIGINT], "killed"),
        (-signal.SIGINT, [], "interrupted"),
        (-signal.SIGTERM, [signal.SIGTERM], "interrupted"),
        (130, [], "interrupted"),
        (0, [signal.SIGINT], "interrupted"),
    ],
)
def test_how_a_run_ended(code: int, received: list[int], status: str) -> None:
    assert status_of(code, received) == status


def test_attaching_to_a_process_that_exists_and_to_one_that_does_not() -> None:
    with pytest.raises(AttachError, match="no process 99999999") as error:
        attachable(99_999_999)
    assert error.value.hint
    with pytest.raises(AttachError, match="no process -5"):
        attachable(-5)
    assert attachable(os.getpid()).pid == os.getpid()


@pytest.mark.parametrize(
    ("command", "seed"),
    [
        (("python", "t.py", "--seed", "3"), 3),
        (("python", "t.py", "--seed=42"), 42),
        (("python", "t.py", "--seed"), None),
        (("python", "t.py", "--seed", "x"), None),
        (("python", "t.py", "--seeds", "x"), None),
        (("python",), None),
        (("python", "t.py", "--seeds", "5"), None),
        (("python", "t.py", "--seed=-1"), None),
    ],
)
def test_the_seed_in_a_command(command: tuple[str, ...], seed: int | None) -> None:
    assert seed_in(command) == seed


def test_a_run_describes_itself() -> None:
    header = describe_run("id", "name", ("python", "t.py"))
    assert json.loads(json.dumps(header)) == header
    assert header["command"] == ["python", "t.py"]
    assert header["environment"]["cores"] >= 1
    assert "numpy" in installed()


def test_the_system_monitor_sees_this_process(tmp_path: Path) -> None:
    monitor = SystemMonitor(os.getpid(), tmp_path)
    first, second = monitor.measure(), monitor.measure()
    me = first["processes"][str(os.getpid())]
    assert me["rss"] > 0
    assert me["name"]
    assert "name" not in second["processes"][str(os.getpid())], "its name is written once"
    assert second["cpu"] >= 0
    assert monitor.load()[0] >= 1
    no_process = SystemMonitor(99_999_999, tmp_path)
    assert no_process.measure()["processes"] == {}


def snapshot(threads: int, first_step_ns: int) -> str:
    rows = [[index, 0, 0, 1000 + index, f"worker [{index}", 5] for index in range(threads)]
    return json.dumps({"k": "w", "th": rows, "steps": [first_step_ns, 0]}, separators=(",", ":")) + "\n"


def test_the_loop_begins_with_the_first_step_or_update_of_any_process(tmp_path: Path) -> None:
    assert loop_view(tmp_path) == LoopView(0, 1)
    trainer, worker = tmp_path / "proc-1-2.jsonl", tmp_path / "proc-3-4.jsonl"
    trainer.write_text(snapshot(threads=1, first_step_ns=0))
    assert loop_view(tmp_path) == LoopView(0, 1)
    worker.write_text(snapshot(threads=2, first_step_ns=77))
    assert loop_view(tmp_path) == LoopView(77, 2)
    with trainer.open("a") as stream:
        stream.write(snapshot(threads=3, first_step_ns=0) + '{"k":"w","th":[[0,')
    assert loop_view(tmp_path) == LoopView(77, 3), "the other process has stepped; a torn line says nothing"


@pytest.mark.parametrize("counter", [Counter.UPDATES, f"{Counter.OPTIMIZER}0"])
def test_a_program_that_only_learns_has_a_loop(tmp_path: Path, counter: str) -> None:
    (tmp_path / "proc-1-2.jsonl").write_text(f'{{"k":"w","c":{{"0:{counter}":0}},"steps":[0,0]}}\n')
    assert not loop_view(tmp_path).began_ns
    (tmp_path / "proc-1-2.jsonl").write_text(f'{{"k":"w","c":{{"0:{counter}":3}},"steps":[0,0]}}\n')
    assert loop_view(tmp_path).began_ns


def test_a_stopped_process_and_the_first_one_are_refused_with_what_to_do() -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        os.kill(sleeper.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED)
        with pytest.raises(AttachError, match="is stopped") as error:
            attachable(sleeper.pid)
        assert f"kill -CONT {sleeper.pid}" in error.value.hint
    finally:
        sleeper.kill()
        sleeper.communicate()


def test_a_stopped_child_of_a_shell_is_refused_by_its_own_number() -> None:
    program = "import os; print(os.getpid(), flush=True); os.kill(os.getpid(), 19)"
    command = ["sh", "-c", f"'{sys.executable}' -c '{program}'; true"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as shell:
        try:
            assert shell.stdout is not None
            below = int(shell.stdout.readline())
            while psutil.Process(below).status() != psutil.STATUS_STOPPED:
                pass
            with pytest.raises(AttachError, match=f"process {below} .* is stopped") as error:
                attachable(shell.pid)
            assert f"kill -CONT {below};" in error.value.hint
        finally:
            os.killpg(shell.pid, signal.SIGKILL)


@pytest.mark.skipif(is_python(1), reason="the first process is Python here")
def test_the_first_process_is_not_a_training() -> None:
    with pytest.raises(AttachError, match="everything runs below it"):
        attachable(1)


def test_a_shell_without_a_python_child_is_refused_with_what_to_do() -> None:
    shell = subprocess.Popen(["sh", "-c", "read line; true"], stdin=subprocess.PIPE)
    try:
        with pytest.raises(AttachError, match="is not Python and has no Python child") as error:
            attachable(shell.pid)
        assert "pgrep" in error.value.hint
    finally:
        shell.kill()
        shell.communicate()


def test_a_shell_is_no_program_because_goldsplit_was_started_from_it() -> None:
    looks = "import os; from goldsplit.record.outside import attaching; attaching.attachable(os.getppid())"
    done = subprocess.run(["sh", "-c", '"$@"; true', "sh", sys.executable, "-c", looks], capture_output=True)
    assert b"is not Python and has no Python child" in done.stderr


def test_a_file_that_the_system_cannot_start_is_refused_and_leaves_no_run(tmp_path: Path) -> None:
    bare = tmp_path / "train"
    for text, told in (("echo", "needs a #! line"), ("#!/no/such/python\n", "names is not there")):
        bare.write_text(text)
        bare.chmod(0o755)
        with pytest.raises(CommandError, match="cannot run") as error:
            pipeline.record((str(bare),), tmp_path / "runs", "x", RecordOptions(), lambda _: None)
        assert told in error.value.hint
        assert list((tmp_path / "runs").iterdir()) == []
