"""Runs that end badly: the data stays readable, the end passes through, nobody is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

LOOP = """
import os, signal, sys, time
class Game:
    def reset(self): self.t = 0; return 0
    def step(self, action):
        self.t += 1
        sum(range(20000))
        return 0, 1.0, self.t % 10 == 0, False, {}
def play(seconds, game=Game()):
    game.reset()
    end = time.monotonic() + seconds
    steps = 0
    while time.monotonic() < end:
        game.step(0)
        steps += 1
    return steps
"""

UNTIL_FILE = LOOP + "print('ready', os.getpid())\nwhile not os.path.exists('enough'):\n    play(0.1)\n"
FOREVER = LOOP + "play(0.7)\nprint('ready', os.getpid())\nplay(60)\n"


def check_nobody_left(run: Any) -> None:
    """No process of the run is alive: none whose environment names the run's directory."""
    place = str(run.out)
    left = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("GOLDSPLIT_RUN_DIR", "").startswith(place):
                left.append(process.cmdline())
        except psutil.Error:
            continue
    assert left == []


def check_readable(run: Any, status: str, least_steps: int = 10) -> None:
    assert "Traceback" not in run.stderr or "KeyboardInterrupt" in run.stderr or status == "crashed"
    assert run.report["run"]["status"] == status
    assert run.report["throughput"]["env_steps"] >= least_steps
    run.check_sums()


def test_ctrl_c_to_goldsplit_alone_is_passed_on(start_recording: Callable[..., Any]) -> None:
    started = start_recording(FOREVER)
    started.wait_for_line("ready")
    started.process.send_signal(signal.SIGINT)
    run = started.finish()
    assert run.exit_code == -signal.SIGINT, "the caller sees that it was a signal"
    check_readable(run, "interrupted")
    check_nobody_left(run)


SAVES_ON_CTRL_C = (
    LOOP
    + """
received = []
def handler(number, frame):
    received.append(number)
signal.signal(signal.SIGINT, handler)
play(0.5)
print('ready', os.getpid())
while not received: time.sleep(0.01)
end = time.monotonic() + 0.5
while time.monotonic() < end: time.sleep(0.01)
print('received', len(received))
sys.exit(7)
"""
)


@pytest.mark.parametrize("whom", ["group", "goldsplit"])
def test_ctrl_c_arrives_once_and_the_program_may_finish(
    start_recording: Callable[..., Any], whom: str
) -> None:
    """A trainer that saves its model on Ctrl-C must not be interrupted a second time while saving."""
    started = start_recording(SAVES_ON_CTRL_C)
    started.wait_for_line("ready")
    if whom == "group":
        os.killpg(started.process.pid, signal.SIGINT)
    else:
        started.process.send_signal(signal.SIGINT)
    run = started.finish()
    assert "received 1\n" in run.stdout
    assert run.exit_code == 7
    check_readable(run, "interrupted")
    check_nobody_left(run)


def test_a_run_can_be_shown_while_it_goes_on(start_recording: Callable[..., Any], goldsplit: Any) -> None:
    started = start_recording(FOREVER)
    started.wait_for_line("ready")
    shown = goldsplit("show", "--out", str(started.out), "--json", cwd=started.directory)
    report = json.loads(shown.stdout)
    assert report["run"]["status"] == "running"
    assert report["throughput"]["env_steps"] > 10
    started.process.send_signal(signal.SIGINT)
    check_nobody_left(started.finish())


def test_sigterm_is_passed_on(start_recording: Callable[..., Any]) -> None:
    started = start_recording(FOREVER)
    started.wait_for_line("ready")
    started.process.terminate()
    run = started.finish()
    assert run.exit_code == -signal.SIGTERM
    check_readable(run, "interrupted")
    check_nobody_left(run)


WITH_WORKERS = (
    LOOP
    + """
import multiprocessing as mp
def work(end, close_others):
    for ours, theirs in pairs if close_others else ():
        ours.close()
        if theirs is not end: theirs.close()
    while True:
        play(0.05)
        end.send(1)
        if end.recv() is None:
            return
if __name__ == '__main__':
    context = mp.get_context('fork')
    pairs = [context.Pipe() for _ in range(2)]
    workers = [context.Process(target=work, args=(theirs, CLOSE_OTHERS), daemon=True)
               for _, theirs in pairs]
    for worker in workers: worker.start()
    for _, theirs in pairs: theirs.close()
    def rounds(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for ours, _ in pairs: ours.recv()
            for ours, _ in pairs: ours.send(0)
    rounds(0.8)
    print('ready', os.getpid(), *[worker.pid for worker in workers])
    rounds(60)
"""
)


@pytest.mark.slow
def test_a_killed_trainer_leaves_no_worker(start_recording: Callable[..., Any]) -> None:
    started = start_recording("CLOSE_OTHERS = False\n" + WITH_WORKERS)  # so they never see the pipe's end
    trainer, *workers = map(int, started.wait_for_line("ready").split()[1:])
    os.kill(trainer, signal.SIGKILL)
    run = started.finish()
    assert run.exit_code == -signal.SIGKILL
    assert run.report["run"]["status"] == "killed"
    assert run.report["throughput"]["env_steps"] > 0
    assert not [pid for pid in workers if psutil.pid_exists(pid)]
    check_nobody_left(run)


def test_a_killed_worker_is_the_programs_own_affair(start_recording: Callable[..., Any]) -> None:
    """The trainer meets EOFError and crashes, as it would alone; both recordings stay readable."""
    started = start_recording("CLOSE_OTHERS = True\n" + WITH_WORKERS)
    _, worker, _ = map(int, started.wait_for_line("ready").split()[1:])
    os.kill(worker, signal.SIGKILL)
    run = started.finish()
    assert run.exit_code == 1
    assert "EOFError" in run.stderr or "ConnectionResetError" in run.stderr or "BrokenPipe" in run.stderr
    check_readable(run, "crashed")
    check_nobody_left(run)
    notes = run.report["trust"]["notes"]
    assert f"worker process {worker} was killed by SIGKILL (out of memory?)" in notes


@pytest.mark.parametrize(
    ("ending", "code", "status"),
    [
        ("raise ValueError('out of potions')", 1, "crashed"),
        ("os._exit(5)", 5, "crashed"),
        ("sys.exit(3)", 3, "crashed"),
        ("sys.exit(0)", 0, "complete"),
        ("sys.exit('no map')", 1, "crashed"),
        ("os._exit(0)", 0, "complete"),
        ("os.abort()", -signal.SIGABRT, "crashed"),
    ],
)
def test_every_way_to_end_passes_through(
    record: Callable[..., Any], ending: str, code: int, status: str
) -> None:
    run = record(LOOP + f"print('steps', play(0.8))\nsys.stdout.flush()\n{ending}\n")
    assert run.exit_code == code
    check_readable(run, status)
    if ending != "os.abort()":  # killed at once: the last snapshot interval is lost, no more
        assert run.report["throughput"]["env_steps"] == int(run.stdout.split()[1])
    if "potions" in ending:
        assert "ValueError: out of potions" in run.stderr
    check_nobody_left(run)


def test_exec_keeps_both_lives_of_a_process(record: Callable[..., Any]) -> None:
    """A launcher that replaces itself (os.execv) keeps its process id; neither life may hide the other."""
    program = LOOP + (
        "steps = play(0.8)\nprint(steps, flush=True)\n"
        "if len(sys.argv) < 2: os.execv(sys.executable, [sys.executable, __file__, 'again'])\n"
    )
    run = record(program)
    assert run.exit_code == 0, run.stderr
    first, second = map(int, run.stdout.split())
    run.check_sums()
    counted = run.report["throughput"]["env_steps"]
    assert counted <= first + second
    assert counted >= second + 0.5 * first, "what the first life wrote until its last snapshot is there"


def test_a_full_disk_ends_nothing_and_is_said(record: Callable[..., Any], tmp_path: Path) -> None:
    """Files may grow to 6 KiB only: writes are refused as on a full disk, the program goes on."""
    limits = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (6144, 6144))\n"
    program = LOOP + "\n".join(
        [
            "import goldsplit",
            "steps = play(0.6)",
            "for i in range(400): goldsplit.count('counter_%04d_with_a_long_name' % i)",
            "steps += play(1.5)",
            "print(steps)",
        ]
    )
    run = record(limits + program)
    assert run.exit_code == 0, run.stderr
    assert "Traceback" not in run.stderr
    assert int(run.stdout) > 10
    assert 0 < run.report["throughput"]["env_steps"] <= int(run.stdout)
    run.check_sums()
    assert all(file.stat().st_size <= 6144 for file in run.process_files())


def test_no_room_for_the_header_at_the_end(tmp_path: Path) -> None:
    """The last header cannot be written: the user's exit code still passes through, without a traceback."""
    wrapper = tmp_path / "wrapper.py"
    wrapper.write_text(
        "import errno, sys\n"
        "from goldsplit import pipeline\n"
        "real = pipeline.write_header\n"
        "calls = []\n"
        "def full(*arguments):\n"
        "    calls.append(1)\n"
        "    if len(calls) > 1: raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "    real(*arguments)\n"
        "pipeline.write_header = full\n"
        "from goldsplit.cli.main import main\n"
        "main()\n"
    )
    record = [sys.executable, str(wrapper), "record", "--no-stacks", "--out", str(tmp_path / "runs"), "--"]
    done = subprocess.run(
        [*record, sys.executable, "-c", "raise SystemExit(4)"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr


def test_duration_ends_the_command_politely(record: Callable[..., Any]) -> None:
    program = LOOP + "try: play(60)\nexcept KeyboardInterrupt: print('saved')\n"
    begun = time.monotonic()
    run = record(program, options=("--no-stacks", "--duration", "1.5"))
    assert time.monotonic() - begun < 30
    assert "saved" in run.stdout
    assert run.exit_code == 0
    check_readable(run, "interrupted")


def test_duration_ends_at_once_what_ignores_ctrl_c(record: Callable[..., Any]) -> None:
    """As a background job of a script does; nothing of it is changed."""
    program = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + LOOP + "play(60)\n"
    begun = time.monotonic()
    run = record(program, options=("--no-stacks", "--duration", "1.5"))
    assert time.monotonic() - begun < 9.5
    assert run.exit_code == 0  # its end was asked for
    check_readable(run, "interrupted")
    assert run.report["run"]["exit_code"] == 143


def test_a_killed_goldsplit_leaves_a_readable_run(start_recording: Callable[..., Any]) -> None:
    """The trainer is not ours to end then; what it wrote is readable, and nobody claims it still runs."""
    started = start_recording(FOREVER)
    trainer = int(started.wait_for_line("ready").split()[1])
    started.process.kill()
    started.process.wait(timeout=10)
    try:
        psutil.Process(trainer).terminate()
        psutil.wait_procs([psutil.Process(trainer)], timeout=10)
    except psutil.NoSuchProcess:
        pass
    run = started.finish()
    assert run.report["throughput"]["env_steps"] > 10
    assert run.report["run"]["status"] == "killed"
    run.check_sums()


def test_a_killed_goldsplit_does_not_mean_a_killed_training(start_recording: Callable[..., Any]) -> None:
    """The training goes on, ends by itself, and the report says so."""
    started = start_recording(UNTIL_FILE)
    trainer = psutil.Process(int(started.wait_for_line("ready").split()[1]))
    started.process.kill()
    started.process.wait(timeout=10)
    (Path(trainer.cwd()) / "enough").touch()
    psutil.wait_procs([trainer], timeout=20)
    run = started.finish()
    assert run.report["run"]["status"] == "complete"
    assert any("goldsplit was killed while it recorded" in note for note in run.report["trust"]["notes"])
    assert run.report["phases"]["shutdown_seconds"] is not None, "the program wrote when it ended"


def test_a_run_that_was_removed_meanwhile_is_said(goldsplit: Any, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import os, shutil, sys\nshutil.rmtree(os.environ['GOLDSPLIT_RUN_DIR'])\nsys.exit(5)\n"
    )
    done = goldsplit("record", "--no-stacks", "--", sys.executable, "program.py", cwd=tmp_path)
    assert done.returncode == 5
    assert "was removed while it was recorded" in done.stderr
    assert "Traceback" not in done.stderr
