"""Run one program under one tool, and measure its loop's wall time and the whole tree's CPU time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Program:
    """A program of fixed work: `turns` of its loop, whatever a tool adds."""

    name: str
    script: str
    turns: int
    arguments: tuple[str, ...] = ()
    disk_minute: bool = False

    def command(self, turns: int) -> list[str]:
        script = str(HERE / "programs" / f"{self.script}.py")
        return [script, "--startup", "0", "--steps", str(turns), *self.arguments]


@dataclass(frozen=True, slots=True)
class Measured:
    """One run. CPU is of every process of the tree, the tool's own included."""

    loop_seconds: float
    driver_cpu_seconds: float
    tree_cpu_seconds: float
    cpu_after_loop_seconds: float
    env_steps: int
    disk_bytes: int
    turn_ns: tuple[int, ...]
    claimed_low: float | None = None
    claimed_high: float | None = None


def tool_command(tool: str, script: list[str], out: Path) -> list[str]:
    """How a user would call each tool, at its defaults; `out` is an empty folder for what it writes."""
    python = [sys.executable, *script]
    record = ["record", "--out", str(out), "--name", "cost", "--"]
    stacks = ["record", "-r", "100", "-s", "-i", "-f", "raw", "-o", str(out / "stacks.txt"), "--"]
    commands = {
        "bare": python,
        "bare again": python,
        "goldsplit": [sys.executable, "-m", "goldsplit", *record, *python],
        "py-spy": [str(BIN / "py-spy"), *stacks, *python],
        "cProfile": [sys.executable, "-m", "cProfile", "-o", str(out / "profile.out"), *script],
        "viztracer": [str(BIN / "viztracer"), "--quiet", "-o", str(out / "trace.json"), "--", *script],
        "pyinstrument": [str(BIN / "pyinstrument"), "-r", "json", "-o", str(out / "session.json"), *script],
    }
    return commands[tool]


def tree_cpu_seconds(root: int) -> float:
    """CPU of root, its living descendants, and all those that they have already waited for."""
    parents: dict[int, list[tuple[int, float]]] = {}
    own: dict[int, float] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            reading = _read_stat(int(entry.name))
            if reading is not None:
                parent, cpu_seconds = reading
                own[int(entry.name)] = cpu_seconds
                parents.setdefault(parent, []).append((int(entry.name), cpu_seconds))
    total, waiting = own.get(root, 0.0), [root]
    while waiting:
        for child, cpu_seconds in parents.get(waiting.pop(), []):
            total += cpu_seconds
            waiting.append(child)
    return total


def _read_stat(pid: int) -> tuple[int, float] | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it ended between the listing and the reading
        return None
    return int(fields[1]), sum(int(field) for field in fields[11:15]) / TICKS_PER_SECOND


def measure(program: Program, tool: str, turns: int, spin_per_us: float) -> Measured:
    with tempfile.TemporaryDirectory(prefix="goldsplit-cost-") as scratch:
        folder = Path(scratch)
        out, truth_path = folder / "out", folder / "truth.json"
        out.mkdir()
        command = tool_command(tool, program.command(turns), out)
        environment = {
            **os.environ,
            "TRUTH_OUT": str(truth_path),
            "TRUTH_SPIN_PER_US": f"{spin_per_us:g}",
            "TRUTH_HOLD": "1",
        }
        log = folder / "log.txt"
        with log.open("wb") as sink:
            process = subprocess.Popen(command, env=environment, stdout=sink, stderr=sink, cwd=folder)
            at_begin = _cpu_when(Path(f"{truth_path}.begin"), process)
            at_end = _cpu_when(Path(f"{truth_path}.end"), process)
            Path(f"{truth_path}.go").touch()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if at_begin is None or at_end is None or not truth_path.exists():
            raise RuntimeError(f"{tool} on {program.name}: {log.read_text()[-600:]}")
        truth = json.loads(truth_path.read_text())
        claimed = _claimed_cost(out) if tool == "goldsplit" else (None, None)
        return Measured(
            loop_seconds=truth["steady_seconds"],
            driver_cpu_seconds=truth["driver_cpu_seconds"],
            tree_cpu_seconds=at_end - at_begin,
            cpu_after_loop_seconds=usage.ru_utime + usage.ru_stime - at_end,
            env_steps=truth["counts"]["env_steps"],
            disk_bytes=sum(path.stat().st_size for path in out.rglob("*") if path.is_file()),
            turn_ns=tuple(truth["turn_ns"]),
            claimed_low=claimed[0],
            claimed_high=claimed[1],
        )


def disk_bytes_of_a_minute(program: Program) -> int:
    """What goldsplit leaves on disk after one minute of this program's loop."""
    with tempfile.TemporaryDirectory(prefix="goldsplit-disk-") as scratch:
        out = Path(scratch) / "out"
        script = str(HERE / "programs" / f"{program.script}.py")
        script_call = [script, "--startup", "0", "--seconds", "60", *program.arguments]
        command = tool_command("goldsplit", script_call, out)
        subprocess.run(command, check=True, capture_output=True)
        return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


def _cpu_when(marker: Path, process: subprocess.Popen[bytes]) -> float | None:
    """The tree's CPU at the moment the program makes the marker; None if the command ends without it."""
    while not marker.exists():
        if _has_ended(process.pid):
            return None
        time.sleep(POLL_SECONDS)
    return tree_cpu_seconds(process.pid)


def _has_ended(pid: int) -> bool:
    # WNOWAIT leaves the ended process to wait4, which also returns what it used.
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _claimed_cost(out: Path) -> tuple[float | None, float | None]:
    """What goldsplit's own report says that it cost on this very run."""
    folders = [entry for entry in out.iterdir() if entry.is_dir()]
    if len(folders) != 1:
        return None, None
    show = [sys.executable, "-m", "goldsplit", "show", str(folders[0]), "--json"]
    shown = subprocess.run(show, capture_output=True, text=True)
    if shown.returncode != 0:
        return None, None
    trust: dict[str, Any] = json.loads(shown.stdout)["trust"]
    return trust.get("overhead_low"), trust.get("overhead_high")


def calibrate_spin_per_us() -> float:
    """Turns of the programs' spin loop per microsecond here, so that a named cost is about that cost."""
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[1]); import clocks\n"
        "def timed():\n"
        "    start = time.thread_time_ns(); clocks.spin(5000); return time.thread_time_ns() - start\n"
        "print(clocks.SPIN_PER_US * 5e6 / min(timed() for _ in range(30)))\n"
    )
    environment = {key: value for key, value in os.environ.items() if key != "TRUTH_SPIN_PER_US"}
    command = [sys.executable, "-c", code, str(HERE / "programs")]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
