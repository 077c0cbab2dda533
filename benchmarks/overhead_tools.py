"""The programs that the cost of recording is measured on, and how a user would call each tool on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent


@dataclass(frozen=True, slots=True)
class Program:
    """A program of fixed work: lap i of its loop is the same, whatever a tool adds."""

    name: str
    script: str
    turns_per_lap: int
    """As many as take about a tenth of a second: see overhead.py."""
    steps_per_turn: int = 1
    arguments: tuple[str, ...] = ()
    has_workers: bool = False
    """Processes or threads: then it may use all cores."""

    def command(self) -> list[str]:
        script = str(HERE / "programs" / f"{self.script}.py")
        return [script, "--startup", "0", "--steps", str(10**9), *self.arguments]


def tool_command(tool: str, script: list[str], out: Path) -> list[str]:
    """How a user would call each tool, at its defaults; `out` is an empty folder for what it writes.

    A tool's name may be followed by options of `goldsplit record`, as in "goldsplit --deep".
    """
    name, *options = tool.removesuffix(" again").split()
    python = [sys.executable, *script]
    record = ["record", *options, "--out", str(out), "--name", "cost", "--"]
    stacks = ["record", "-r", "100", "-s", "-i", "-f", "raw", "-o", str(out / "stacks.txt"), "--"]
    commands = {
        "bare": python,
        "goldsplit": [sys.executable, "-m", "goldsplit", *record, *python],
        "py-spy": [str(BIN / "py-spy"), *stacks, *python],
        "cProfile": [sys.executable, "-m", "cProfile", "-o", str(out / "profile.out"), *script],
        "viztracer": [str(BIN / "viztracer"), "--quiet", "-o", str(out / "trace.json"), "--", *script],
        "pyinstrument": [str(BIN / "pyinstrument"), "-r", "json", "-o", str(out / "session.json"), *script],
    }
    return commands[name]


@dataclass(frozen=True, slots=True)
class Minute:
    """A minute of recording: what it leaves on disk, and what goldsplit says that it cost."""

    disk_bytes: int
    claimed_low: float | None
    claimed_high: float | None


def record_a_minute(program: Program) -> Minute:
    """One minute of this program's loop, recorded as a user would."""
    with tempfile.TemporaryDirectory(prefix="goldsplit-minute-") as scratch:
        out = Path(scratch) / "out"
        script = str(HERE / "programs" / f"{program.script}.py")
        call = [script, "--startup", "0", "--seconds", "60", *program.arguments]
        subprocess.run(tool_command("goldsplit", call, out), check=True, capture_output=True)
        disk_bytes = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        (folder,) = (entry for entry in out.iterdir() if entry.is_dir())
        show = [sys.executable, "-m", "goldsplit", "show", str(folder), "--json"]
        shown = subprocess.run(show, capture_output=True, text=True, check=True)
        trust: dict[str, Any] = json.loads(shown.stdout)["trust"]
        return Minute(disk_bytes, trust.get("overhead_low"), trust.get("overhead_high"))


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
