"""Sample the stacks of the whole process tree with py-spy, some seconds at a time.

py-spy writes its output only at the end, so it is run in chunks; each is folded into counts at once and its
file deleted. The rate follows from a budget of processor time, measured chunk by chunk.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sysconfig
import threading
import time
from collections.abc import Callable
from pathlib import Path

from goldsplit.record.folding import ChunkResult, StackTable, fold
from goldsplit.record.writer import LineWriter

#: Share of the busy processors that sampling may cost.
BUDGET_SHARE = 0.008
#: Processor seconds that one look at one process costs, before the first chunk has measured it; and what
#: starting py-spy costs for each process.
FIRST_GUESS_SECONDS = 0.0005
START_SECONDS = 0.06
MIN_RATE, MAX_RATE = 2, 100
#: In the first chunks at least this many, whatever the budget: a short run has no time to collect samples.
FIRST_RATE = 8
FIRST_CHUNKS = 2
#: Samples per second where hooks see no environment step, so that stacks must tell the stages too.
UNHOOKED_RATE = 60
#: Starting py-spy is dear, so chunks are long where spans tell the stages.
CHUNK_SECONDS = (30, 60)
UNHOOKED_CHUNK_SECONDS = (10, 20)
#: How long to wait for the first environment step before sampling starts without it.
PATIENCE_SECONDS = 8.0
_SUMMARY = re.compile(r"Samples: (\d+) Errors: (\d+)")
_BEHIND = re.compile(r"behind in sampling")


def find_py_spy() -> str | None:
    """The py-spy beside this interpreter, or on the path."""
    beside = Path(sysconfig.get_path("scripts")) / "py-spy"
    return str(beside) if beside.is_file() else shutil.which("py-spy")


def choose_rate(processes: int, busy_cores: float, seconds_per_look: float) -> int:
    """Samples per second that stay in the budget."""
    budget = BUDGET_SHARE * max(1.0, busy_cores)
    return max(MIN_RATE, min(MAX_RATE, int(budget / (max(1, processes) * seconds_per_look))))


class StackSampler:
    """Runs py-spy chunk after chunk on one process and its children, in a thread of its own."""

    def __init__(
        self,
        target: Callable[[], int | None],
        load: Callable[[], tuple[int, float]],
        run_dir: Path,
        rate: int | None,
        hooked: Callable[[], bool] | None = None,
    ) -> None:
        self.target = target
        self.load = load
        self.run_dir = run_dir
        self.fixed_rate = rate
        self.hooked = hooked
        self.loop_seen = False
        self.writer = LineWriter(str(run_dir / "stacks.jsonl"))
        self.table = StackTable()
        self.seconds_per_look = FIRST_GUESS_SECONDS
        self.problem = ""
        self.chunks = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="goldsplit-stacks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the chunk under way, keep what it has, and return when it is written."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=15)

    def running(self) -> bool:
        """Whether sampling goes on; it gives up where the system refuses it."""
        return self._thread.is_alive()

    def _run(self) -> None:
        py_spy = find_py_spy()
        if py_spy is None:
            self.problem = "py-spy is not installed; no stacks were sampled"
            return
        failures = 0
        self._wait_for_loop()
        while not self._stopping.is_set() and failures < 3:
            pid = self.target()
            if pid is None:
                self._stopping.wait(0.1)
                continue
            started = time.perf_counter_ns()
            processes, busy_cores = self.load()
            hooked = self.hooked is not None and self.hooked()
            rate = self.fixed_rate or choose_rate(processes, busy_cores, self.seconds_per_look)
            if not hooked and not self.fixed_rate:
                rate = max(rate, UNHOOKED_RATE)
            if self.chunks < FIRST_CHUNKS and not self.fixed_rate:
                rate = max(rate, FIRST_RATE)
            lengths = CHUNK_SECONDS if hooked else UNHOOKED_CHUNK_SECONDS
            seconds = lengths[min(self.chunks, len(lengths) - 1)]
            result, self.problem = self._chunk(py_spy, pid, (rate, seconds), pause=not hooked)
            if result is None:
                failures += 1
                self._stopping.wait(0.3)
                continue
            failures = 0
            self.chunks += 1
            ended = time.perf_counter_ns()
            if result.samples >= 20:
                looking = result.cpu_seconds - START_SECONDS * processes
                self.seconds_per_look = max(2e-4, looking / result.samples)
            for line in fold(result, (started, ended), rate, self.table, self.loop_seen):
                self.writer.write(line)
                self.loop_seen = self.loop_seen or not line["startup"]

    def _wait_for_loop(self) -> None:
        """Let start-up pass unsampled: it is split off anyway, and a young interpreter is hard to read."""
        if self.hooked is None:
            return
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._stopping.wait(0.25) and time.monotonic() < deadline and not self.hooked():
            continue

    def _chunk(
        self, py_spy: str, pid: int, pace: tuple[int, int], pause: bool
    ) -> tuple[ChunkResult | None, str]:
        """One run of py-spy. Where stacks alone tell the stages, the process is paused for each sample:
        unpaused, the stacks that change fastest fail most, and their stages would come out too small."""
        rate, seconds = pace
        output = self.run_dir / f"chunk-{self.chunks}.json"
        command = [py_spy, "record", "--pid", str(pid), "--subprocesses", "--idle", "--threads"]
        command += [] if pause else ["--nonblocking"]
        command += ["--full-filenames", "--format", "speedscope", "--output", str(output)]
        command += ["--rate", str(rate), "--duration", str(seconds)]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        text, cpu_seconds = self._wait_for(process, until_hooked=pause)
        try:
            speedscope = json.loads(output.read_text())
        except (OSError, ValueError):
            return None, _explain(text)
        finally:
            output.unlink(missing_ok=True)
        counted = _SUMMARY.search(text)
        samples, failed = (int(counted[1]), int(counted[2])) if counted else (0, 0)
        late = len(_BEHIND.findall(text))
        return ChunkResult(speedscope, samples, failed, late, cpu_seconds, pid), ""

    def _wait_for(self, process: subprocess.Popen[str], until_hooked: bool) -> tuple[str, float]:
        """py-spy's words and the processor seconds it used. It ends early when sampling stops, and when
        spans begin to tell the stages: then it need not pause the program any more."""

        def wanted() -> bool:
            return self._stopping.is_set() or bool(until_hooked and self.hooked and self.hooked())

        usage = _until_end(process, wanted)
        assert process.stdout is not None
        with process.stdout:
            return process.stdout.read(), usage.ru_utime + usage.ru_stime


def _until_end(process: subprocess.Popen[str], wanted: Callable[[], bool]) -> resource.struct_rusage:
    """Wait for a child, asking it to end early once that is wanted; what it used."""
    asked = False
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if not asked and wanted():
            asked = True
            os.kill(process.pid, signal.SIGINT)  # py-spy then writes what it has
        time.sleep(0.1)


def _explain(text: str) -> str:
    """py-spy's own words in one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    error = next((line for line in lines if "rror" in line), lines[-1] if lines else "no output")
    return f"py-spy could not sample: {error[:200]}"


def is_python(pid: int) -> bool:
    """Whether a process is a Python interpreter, by its program and its mapped libraries."""
    try:
        executable = Path(f"/proc/{pid}/exe").readlink()
    except OSError:
        return False
    if "python" in executable.name:
        return True
    try:
        return "libpython" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False
