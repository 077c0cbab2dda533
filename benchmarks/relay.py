"""Run one program under several tools at once, one lap of one of them at a time, and measure every lap.

A shared machine changes its speed from one second to the next by more than a good profiler costs. Runs one
after the other see a different machine; short laps, taken in turns, see the same one.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "programs"))

from baton import DONE_FIFO, GO_FIFO, LAP  # noqa: E402  (beside the programs, which run as scripts)

from overhead_tools import Program, tool_command  # noqa: E402

#: In the first laps caches are cold, kernels are compiled, and goldsplit has its first, denser raw window.
WARM_UP_LAPS = 6
LOOK_AROUND_EVERY = 6
PATIENCE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Lap:
    """One lap; `tree_cpu_ns` is of all processes, the tool's own included, while this lap was run."""

    wall_ns: int
    driver_cpu_ns: int
    tree_cpu_ns: int


class Runner:
    """One program under one tool; it works only while it has the baton."""

    def __init__(self, program: Program, tool: str, folder: Path, spin_per_us: float) -> None:
        self.folder = folder
        out = folder / "out"
        out.mkdir(parents=True)
        for name in (GO_FIFO, DONE_FIFO):
            os.mkfifo(folder / name)
        # Both ways: opening does not wait, and a program that dies gives no end of file, only silence.
        self._go = os.open(folder / GO_FIFO, os.O_RDWR)
        self._done = os.open(folder / DONE_FIFO, os.O_RDWR | os.O_NONBLOCK)
        environment = {
            **os.environ,
            "TRUTH_BATON": f"{program.turns_per_lap}:{folder}",
            "TRUTH_SPIN_PER_US": f"{spin_per_us:g}",
        }
        self.log = folder / "log.txt"
        with self.log.open("wb") as sink:
            self.process = subprocess.Popen(
                tool_command(tool, program.command(), out),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                cwd=folder,
            )
        self.name = f"{tool} on {program.name}"
        self.has_workers = program.has_workers
        self.pids = [self.process.pid]

    def wait_until_ready(self) -> None:
        """Start-up is over: the program asks for the baton.

        Cores differ in speed by more than a tool costs. All launches of a program of one process therefore
        work on the same core; a tool's own processes may use the others.
        """
        self._receive()
        if not self.has_workers:
            program, cores = _program_pid(self.process.pid), os.sched_getaffinity(0)
            for pid in tree(self.process.pid):
                _bind(pid, {min(cores)} if pid == program else cores - {min(cores)} or cores)

    def look_around(self) -> None:
        """Which processes there are now; a tool's own may come and go."""
        self.pids = tree(self.process.pid)

    def run_lap(self) -> Lap:
        before_ns = cpu_ns(self.pids)
        os.write(self._go, b"g")
        wall_ns, driver_cpu_ns = self._receive()
        return Lap(wall_ns, driver_cpu_ns, max(0, cpu_ns(self.pids) - before_ns))

    def _receive(self) -> tuple[int, int]:
        while not select.select([self._done], [], [], PATIENCE_SECONDS)[0]:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended early: {self.log.read_text()[-600:]}")
        wall_ns, driver_cpu_ns = LAP.unpack(os.read(self._done, LAP.size))
        return int(wall_ns), int(driver_cpu_ns)

    def stop(self) -> None:
        """End the program from outside: what it would do after its loop is not measured here."""
        driver, pids = _program_pid(self.process.pid), tree(self.process.pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(driver, signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pid in pids:  # workers that wait for a driver which is gone
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os.close(self._go)
        os.close(self._done)


def relay(
    program: Program,
    tools: list[str],
    rounds: int,
    spin_per_us: float,
    dice: random.Random,
    warm_up: int = WARM_UP_LAPS,
) -> dict[str, list[Lap]]:
    """`rounds` laps of every tool, in a new order each round; lap i does the same work under each."""
    laps: dict[str, list[Lap]] = {tool: [] for tool in tools}
    # Launched in a new order each time, so that no place in it can favour a tool.
    launches = dice.sample(tools, len(tools))
    with running(program, launches, spin_per_us) as runners:
        for number in range(warm_up + rounds):
            if number % LOOK_AROUND_EVERY == 0:
                for runner in runners.values():
                    runner.look_around()
            order = list(runners)
            dice.shuffle(order)
            for tool in order:
                lap = runners[tool].run_lap()
                if number >= warm_up:
                    laps[tool].append(lap)
    return laps


@contextlib.contextmanager
def running(program: Program, tools: list[str], spin_per_us: float) -> Iterator[dict[str, Runner]]:
    """All of them started and ready; stopped again in the end, whatever happens."""
    runners: dict[str, Runner] = {}
    with tempfile.TemporaryDirectory(prefix="goldsplit-relay-") as scratch:
        try:
            for number, tool in enumerate(tools):
                runners[tool] = Runner(program, tool, Path(scratch) / str(number), spin_per_us)
            for runner in runners.values():
                runner.wait_until_ready()
            yield runners
        finally:
            for runner in runners.values():
                runner.stop()


def tree(root: int) -> list[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{entry.name}/stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def cpu_ns(pids: list[int]) -> int:
    """CPU time of all threads of processes, by the scheduler's own clock."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):  # it may end while we read
            for task in os.scandir(f"/proc/{pid}/task"):
                total += int(Path(task.path, "schedstat").read_text().split()[0])
    return total


def _bind(pid: int, cores: set[int]) -> None:
    """Let all threads of a process, and those to come, run on these cores only."""
    with contextlib.suppress(OSError):  # it may have ended
        for task in os.scandir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(task.name), cores)


def _program_pid(root: int) -> int:
    """The process that runs the benchmark program: the first in the tree that has it on its command line
    as Python's own script."""
    for pid in tree(root):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if len(words) > 1 and b"/programs/" in words[1]:
                return pid
    return root
