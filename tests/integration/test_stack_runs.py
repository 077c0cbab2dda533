"""Runs with stacks: hot functions, a process already running, and machines that refuse py-spy."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goldsplit.record.outside.ptrace_permission import refused_stacks

pytestmark = pytest.mark.alone

needs_ptrace = pytest.mark.skipif(bool(refused_stacks()), reason="this machine refuses to sample stacks")

LOOP = """
import sys, time
def line_of_sight(): return sum(i * i for i in range(6000))
def plan(): return sum(range(12000))
class Game:
    def reset(self): return 0
    def step(self, action):
        for _ in range(3): line_of_sight()
        return 0, 0.0, False, False, {}
def main(seconds):
    game, end, steps = Game(), time.monotonic() + seconds, 0
    game.reset()
    while time.monotonic() < end:
        plan()
        game.step(0)
        steps += 1
    print(steps, flush=True)
if __name__ == '__main__':
    print('ready', flush=True)
    main(float(sys.argv[1]))
"""


@needs_ptrace
@pytest.mark.slow
def test_hot_functions_of_a_recorded_run(record: Callable[..., Any]) -> None:
    run = record(LOOP, "6", options=("--rate", "50"))
    assert run.exit_code == 0, run.stderr
    run.check_sums()
    report = run.report
    assert report["trust"]["samples"] > 30
    assert report["trust"]["sample_rate_hz"] == pytest.approx(50)
    hottest = report["hotspots"][0]
    assert "line_of_sight" in hottest["function"] or "genexpr" in hottest["function"]
    assert (hottest["kind"], hottest["stage"]) == ("yours", "env.step")
    assert hottest["file"].endswith("program.py")
    assert list(run.run_dir.glob("chunk-*")) == [], "py-spy's own files are folded and deleted"
    assert report["throughput"]["env_steps"] == int(run.stdout.split()[-1])


@needs_ptrace
@pytest.mark.slow
def test_attach_to_a_process_that_is_running(goldsplit: Any, tmp_path: Path) -> None:
    """Nothing of the process changes: it goes on, and ends as it would have."""
    (tmp_path / "program.py").write_text(LOOP)
    program = subprocess.Popen(
        [sys.executable, "program.py", "9"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        out = str(tmp_path / "runs")
        done = goldsplit("attach", "--out", out, "--duration", "4", str(program.pid), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert program.poll() is None
        stdout, stderr = program.communicate(timeout=60)
    finally:
        program.kill()
        program.wait()
    assert (program.returncode, stderr) == (0, "")
    assert int(stdout) > 0
    shown = goldsplit("show", "--out", out, "--json", "last", cwd=tmp_path)
    report = json.loads(shown.stdout)
    rows = {row["stage"]: row for row in report["stages"]}
    assert rows["env.step"]["source"] == "sampled"
    assert rows["env.step"]["wall_share"] > 0.5
    assert (
        rows["env.step"]["wall_share_low"]
        < rows["env.step"]["wall_share"]
        < rows["env.step"]["wall_share_high"]
    )
    assert report["throughput"]["env_steps"] is None
    total = sum(row["wall_share"] for row in report["stages"]) + report["unattributed"]["wall_share"]
    assert total == pytest.approx(1.0, abs=1e-6)
    assert report["run"]["status"] == "complete"


@needs_ptrace
@pytest.mark.slow
def test_a_sleeping_process_is_not_busy(goldsplit: Any, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import time; print('ready', flush=True); time.sleep(60)"]
    program = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        done = goldsplit("attach", "--duration", "2", str(program.pid), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    finally:
        program.kill()
        program.communicate()
    (lane,) = json.loads(goldsplit("show", "--json", cwd=tmp_path).stdout)["lanes"]
    assert lane["busy_share"] < 0.1
    assert lane["wait_share"] > 0.9


REFUSED = """
import sys
from goldsplit.record.outside import launch
launch.refused_stacks = lambda: 'ptrace is refused here: stacks come from a timer'
from goldsplit.cli.main import main
main()
"""


def record_refused(
    tmp_path: Path, goldsplit: Any, program: str, *arguments: str
) -> tuple[Any, dict[str, Any]]:
    """A run on a machine that refuses py-spy, as far as goldsplit can tell."""
    (tmp_path / "program.py").write_text(program)
    (tmp_path / "refused.py").write_text(REFUSED)
    out = str(tmp_path / "runs")
    command = [
        sys.executable,
        "refused.py",
        "record",
        "--out",
        out,
        "--",
        sys.executable,
        "program.py",
        *arguments,
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    shown = goldsplit("show", "--out", out, "--json", "last", cwd=tmp_path)
    return done, json.loads(shown.stdout)


@pytest.mark.slow
def test_where_stacks_are_refused_a_timer_takes_over_and_says_so(goldsplit: Any, tmp_path: Path) -> None:
    done, report = record_refused(tmp_path, goldsplit, LOOP, "4")
    assert done.returncode == 0, done.stderr
    assert any("ptrace is refused" in note for note in report["trust"]["notes"])
    assert "ptrace is refused" in " ".join(done.stderr.split()), (
        "on the last screen, whatever else it warns of"
    )
    assert report["throughput"]["env_steps"] == int(done.stdout.split()[-1])
    assert report["trust"]["samples"] > 10
    hottest = report["hotspots"][0]["function"]
    assert "line_of_sight" in hottest or "genexpr" in hottest


def test_the_timer_does_not_outlive_exec(goldsplit: Any, tmp_path: Path) -> None:
    """A timer survives exec, its handler does not: the next program would be killed by the signal."""
    program = (
        "import os, time\nend = time.monotonic() + 0.4\nwhile time.monotonic() < end: sum(range(1000))\n"
        "count = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; exit 6'\n"
        "os.execvp('sh', ['sh', '-c', count])\n"
    )
    done, _ = record_refused(tmp_path, goldsplit, program)
    assert (done.stdout, done.returncode) == ("done\n", 6)


def test_a_program_that_uses_the_profiling_signal_itself_keeps_it(goldsplit: Any, tmp_path: Path) -> None:
    program = (
        "import signal, time\nseen = []\nsignal.signal(signal.SIGPROF, lambda *_: seen.append(1))\n"
        "signal.setitimer(signal.ITIMER_PROF, 0.02, 0.02)\nend = time.monotonic() + 0.6\n"
        "while time.monotonic() < end: sum(range(1000))\nsignal.setitimer(signal.ITIMER_PROF, 0)\n"
        "print(len(seen) > 5)\n"
    )
    done, _ = record_refused(tmp_path, goldsplit, program)
    assert (done.stdout, done.returncode) == ("True\n", 0)
