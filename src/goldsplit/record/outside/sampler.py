"""Sample the stacks of the whole process tree with py-spy, some seconds at a time.

py-spy writes its output only at the end, so it is run in chunks; each is folded into counts at once and its
file deleted. The rate follows from a budget of processor time, measured chunk by chunk.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sysconfig
import threading
import time
from collections.abc import Callable
from pathlib import Path

from goldsplit.model.wire import File, Stacks
from goldsplit.record.outside.process_tree import ProcessTree, parent_of
from goldsplit.record.outside.stack_folding import ChunkResult, StackTable, fold
from goldsplit.record.writer import LineWriter

#: Share of the busy processors that sampling may cost.
BUDGET_SHARE = 0.005
#: A program that sleeps most of the time is sampled as if it kept so many processors busy.
LEAST_BUSY_CORES = 0.5
#: Processor seconds that one sample of one process costs, until the first chunk has measured it; and what
#: starting py-spy costs for each process.
FIRST_GUESS_SECONDS = 0.001
START_SECONDS = 0.05
MIN_RATE, MAX_RATE = 1, 100
#: In the first chunk at least this many stacks a second, whatever the budget: a short run has no time to
#: collect samples. Each sample takes the stacks of all threads, and costs accordingly.
FIRST_STACKS = 10
#: With the deep look at least this many samples: the user wants to know more, and accepts a little more cost.
FIRST_RATE_DEEP = 15
#: Samples per second where hooks see no environment step, so that stacks must tell the stages too.
UNHOOKED_RATE = 60
#: Starting py-spy is expensive, so chunks are long where spans tell the stages. The first one is shorter: it
#: shows what a sample costs.
CHUNK_SECONDS = (20, 60, 120)
#: Beside the trainer so many processes are sampled at a time, in turn: workers are alike, and each needs its
#: own py-spy.
WORKERS_AT_A_TIME = 2
UNHOOKED_CHUNK_SECONDS = (10, 20)
#: How often to check whether spans have begun to tell the stages.
CHECK_MILLISECONDS = 250
#: How long to wait for the first environment step before sampling starts without it.
PATIENCE_SECONDS = 8.0
#: A sampler gets priority over the program only if it takes no more than this share of all processors, and
#: only after its start, which needs much processor time.
MOST_TO_PUT_FIRST = 0.1
STARTING_SECONDS = 0.4
#: It gets none if it pauses more threads than these for each sample. It stops one thread after another, and
#: each needs a core to stop. If the sampler holds that core, the last ones still run while the first stand.
MOST_THREADS_TO_PAUSE_FIRST = 4
_SUMMARY = re.compile(r"Samples: (\d+) Errors: (\d+)")
_BEHIND = re.compile(r"behind in sampling")


def find_py_spy() -> str | None:
    """The py-spy beside this interpreter, or on the path."""
    beside = Path(sysconfig.get_path("scripts")) / "py-spy"
    return str(beside) if beside.is_file() else shutil.which("py-spy")


def choose_rate(processes: int, busy_cores: float, seconds_per_sample: float) -> int:
    """Samples per second that stay in the budget."""
    budget = BUDGET_SHARE * max(LEAST_BUSY_CORES, busy_cores)
    return max(MIN_RATE, min(MAX_RATE, int(budget / (max(1, processes) * seconds_per_sample))))


class StackSampler:
    """Runs py-spy chunk after chunk on one process and its children, in its own thread."""

    def __init__(
        self,
        target: Callable[[], int | None],
        load: Callable[[], tuple[int, float]],
        run_dir: Path,
        rate: int | None,
        stepping_threads: Callable[[], int] | None = None,
        deep: bool = False,
    ) -> None:
        self.target = target
        self.load = load
        self.run_dir = run_dir
        self.fixed_rate = rate
        self.deep = deep
        self.stepping_threads = stepping_threads or (lambda: 0)
        self.is_attached = stepping_threads is None
        self.loop_seen = False
        self.writer = LineWriter(str(run_dir / File.STACKS))
        self.table = StackTable()
        self.seconds_per_sample = FIRST_GUESS_SECONDS
        self.problem = ""
        self.chunks = 0
        self._stopping = threading.Event()
        self._woken = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._thread = threading.Thread(target=self._run, name="goldsplit-stacks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the current chunk, keep what it has, and return when it is written."""
        self._stopping.set()
        os.eventfd_write(self._woken, 1)
        if self._thread.ident is not None:
            self._thread.join(timeout=15)

    def running(self) -> bool:
        """Whether sampling goes on; it ends where the system refuses it."""
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
            threads = self.stepping_threads()
            rate, seconds = self._pace(threads)
            results, self.problem = self._chunk(py_spy, pid, (rate, seconds), hooked=threads > 0)
            if not results:
                failures += 1
                self._stopping.wait(0.3)
                continue
            failures = 0
            self.chunks += 1
            self.loop_seen = self.loop_seen or threads > 0  # hooks count steps only in a loop
            self._write(results, (started, time.perf_counter_ns()), rate)

    def _pace(self, threads: int) -> tuple[int, int]:
        """Samples per second and seconds of the next chunk. `threads`: in how many spans tell the stages."""
        processes, busy_cores = self.load()
        lengths = CHUNK_SECONDS if threads else UNHOOKED_CHUNK_SECONDS
        seconds = lengths[min(self.chunks, len(lengths) - 1)]
        if self.fixed_rate:
            return self.fixed_rate, seconds
        # Until a chunk has been measured: half of the first guess for each thread, and for the recorder's.
        guess = 0.0 if self.chunks else FIRST_GUESS_SECONDS / 2 * (threads + 1)
        rate = choose_rate(processes, busy_cores, max(guess, self.seconds_per_sample))
        if not threads:
            return max(rate, UNHOOKED_RATE), seconds
        if self.chunks > 0:
            return rate, seconds
        if self.deep:
            return max(rate, FIRST_RATE_DEEP), seconds
        return max(rate, FIRST_STACKS // max(2, threads)), seconds

    def _write(self, results: list[ChunkResult], period: tuple[int, int], rate: int) -> None:
        """Fold what py-spy left, write it, and measure what a sample costs."""
        samples = sum(result.samples for result in results)
        if samples >= 20:
            sampling = sum(result.cpu_seconds for result in results) - START_SECONDS * len(results)
            self.seconds_per_sample = max(2e-4, sampling / samples)
        seen = self.loop_seen
        for result in results:
            for line in fold(result, period, rate, self.table, seen):
                self.writer.write(line)
                self.loop_seen = self.loop_seen or not line[Stacks.STARTUP]

    def _wait_for_loop(self) -> None:
        """Do not sample start-up: it is split off anyway, and an interpreter that starts is hard to read."""
        if self.is_attached:
            return
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._stopping.wait(0.25) and time.monotonic() < deadline and not self.stepping_threads():
            continue

    def _chunk(
        self, py_spy: str, root: int, pace: tuple[int, int], hooked: bool
    ) -> tuple[list[ChunkResult], str]:
        """Some seconds of sampling.

        Where spans tell the stages, each process gets its own py-spy that does not pause it: following
        children costs py-spy several times more than sampling. Where only stacks can tell them, one py-spy
        follows the whole tree, so that its samples belong together, and pauses the program for each:
        unpaused, the stacks that change fastest fail most, and their stages would come out too small.
        """
        below = python_children(root)
        pids = [root, *in_turn(below, self.chunks, WORKERS_AT_A_TIME)] if hooked else [root]
        options = ["--nonblocking"] if hooked else ["--subprocesses"]
        sampled = len(pids) if hooked else 1 + len(below)
        to_pause = 0 if hooked else sum(map(threads_of, [root, *below]))
        goes_first = may_go_first(pace[0] * sampled, self.seconds_per_sample, to_pause)
        started = [(pid, self._start(py_spy, pid, pace, options)) for pid in pids]
        if goes_first and not self._stopping.wait(STARTING_SECONDS):
            for _, (process, _) in started:
                put_first(process.pid)
        results, problem = [], ""
        for pid, (process, output) in started:
            text, cpu_seconds = self._wait_for(process, until_hooked=not hooked)
            try:
                speedscope = json.loads(output.read_text())
            except (OSError, ValueError):
                problem = _explain(text)
                continue
            finally:
                output.unlink(missing_ok=True)
            counted = _SUMMARY.search(text)
            samples, failed = (int(counted[1]), int(counted[2])) if counted else (0, 0)
            late = len(_BEHIND.findall(text))
            results.append(ChunkResult(speedscope, samples, failed, late, cpu_seconds, pid))
        return results, "" if results else problem

    def _start(
        self, py_spy: str, pid: int, pace: tuple[int, int], options: list[str]
    ) -> tuple[subprocess.Popen[str], Path]:
        output = self.run_dir / f"chunk-{self.chunks}-{pid}.json"
        command = [py_spy, "record", "--pid", str(pid), "--idle", "--threads", *options]
        command += ["--full-filenames", "--format", "speedscope", "--output", str(output)]
        command += ["--rate", str(pace[0]), "--duration", str(pace[1])]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return process, output

    def _wait_for(self, process: subprocess.Popen[str], until_hooked: bool) -> tuple[str, float]:
        """py-spy's output and the processor seconds it used. It ends early when sampling stops, and when
        spans begin to tell the stages: then it need not pause the program any more."""

        def wanted() -> bool:
            return self._stopping.is_set() or bool(until_hooked and self.stepping_threads())

        usage = _until_end(process, wanted, self._woken, CHECK_MILLISECONDS if until_hooked else None)
        assert process.stdout is not None
        with process.stdout:
            return process.stdout.read(), usage.ru_utime + usage.ru_stime


def _until_end(
    process: subprocess.Popen[str], wanted: Callable[[], bool], woken: int, check_milliseconds: int | None
) -> resource.struct_rusage:
    """Wait for a child and return what it used; ask it to end early once that is wanted. Whether it is wanted
    is checked when `woken` can be read, and every `check_milliseconds` where given."""
    handle = os.pidfd_open(process.pid)
    news = select.poll()
    news.register(handle, select.POLLIN)
    news.register(woken, select.POLLIN)
    asked = False
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            os.close(handle)
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if not asked and wanted():
            asked = True
            news.unregister(woken)  # it stays readable
            os.kill(process.pid, signal.SIGINT)  # py-spy then writes what it has
        news.poll(None if asked else check_milliseconds)


def may_go_first(samples_per_second: float, seconds_per_sample: float, threads_to_pause: int) -> bool:
    """Whether sampling takes and disturbs so little that it may have priority over the program."""
    share = samples_per_second * seconds_per_sample / len(os.sched_getaffinity(0))
    return share <= MOST_TO_PUT_FIRST and threads_to_pause <= MOST_THREADS_TO_PAUSE_FIRST


def threads_of(pid: int) -> int:
    """How many threads a process has; 0 when it has ended."""
    try:
        return sum(1 for _ in os.scandir(f"/proc/{pid}/task"))
    except OSError:
        return 0


def put_first(pid: int) -> None:
    """Let a process run whenever it wants to, where the system allows that.

    Otherwise, if all cores are busy, a sampler would run mostly when the program waits for something, and
    would see waiting far too often.
    """
    with contextlib.suppress(OSError):  # refused, or it has ended
        for task in os.scandir(f"/proc/{pid}/task"):
            os.sched_setscheduler(int(task.name), os.SCHED_FIFO, os.sched_param(1))


def _explain(text: str) -> str:
    """py-spy's own error message in one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    error = next((line for line in lines if "rror" in line), lines[-1] if lines else "no output")
    return f"py-spy could not sample: {error[:200]}"


def in_turn(processes: list[int], turn: int, number: int) -> list[int]:
    """The next few of many, so that each process has its turn."""
    first = turn * number % max(1, len(processes))
    return (processes + processes)[first : first + min(number, len(processes))]


def python_children(root: int) -> list[int]:
    """The Python processes below a process, without multiprocessing's own helpers."""
    return [
        pid
        for pid in ProcessTree(root).below()
        if is_python(pid) and not (parent_of(pid) == root and is_helper(pid))
    ]


def is_helper(pid: int) -> bool:
    """Whether a process is one that multiprocessing starts for itself."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"multiprocessing.resource_tracker" in words or b"multiprocessing.forkserver" in words


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
