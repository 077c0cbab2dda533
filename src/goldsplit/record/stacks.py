"""Sample the stacks of the whole process tree with py-spy, some seconds at a time.

py-spy writes its output only at the end, so it is run in chunks; each is folded into counts at once and its
file deleted. The rate follows from a budget of processor time, measured chunk by chunk.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sysconfig
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldsplit.model.naming import is_waiting_frame
from goldsplit.record.writer import LineWriter

#: Share of the busy processors that sampling may cost.
BUDGET_SHARE = 0.008
#: Processor seconds that one look at one process costs, before the first chunk has measured it.
FIRST_GUESS_SECONDS = 0.0007
MIN_RATE, MAX_RATE = 2, 100
CHUNK_SECONDS = (10, 20, 30)
MAX_DEPTH = 80
SLICE_NS = 2_500_000_000
_THREAD = re.compile(r'Process (\d+)\s+Thread (?:0x)?([0-9A-Fa-f]+)(?: "(.*)")?')
_SUMMARY = re.compile(r"Samples: (\d+) Errors: (\d+)")
_BEHIND = re.compile(r"behind in sampling")


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """One chunk as py-spy left it."""

    speedscope: dict[str, Any]
    samples: int
    failed: int
    late: int
    cpu_seconds: float


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
        chunk_seconds: tuple[int, ...] = CHUNK_SECONDS,
    ) -> None:
        self.target = target
        self.load = load
        self.run_dir = run_dir
        self.fixed_rate = rate
        self.chunk_seconds = chunk_seconds
        self.writer = LineWriter(str(run_dir / "stacks.jsonl"))
        self.frame_ids: dict[tuple[str, str, int], int] = {}
        self.seconds_per_look = FIRST_GUESS_SECONDS
        self.problem = ""
        self.chunks = 0
        self._stopping = threading.Event()
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._run, name="goldsplit-stacks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the chunk under way, keep what it has, and return when it is written."""
        self._stopping.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGINT)
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
        while not self._stopping.is_set() and failures < 3:
            pid = self.target()
            if pid is None:
                self._stopping.wait(0.1)
                continue
            started = time.perf_counter_ns()
            processes, busy_cores = self.load()
            rate = self.fixed_rate or choose_rate(processes, busy_cores, self.seconds_per_look)
            seconds = self.chunk_seconds[min(self.chunks, len(self.chunk_seconds) - 1)]
            result, self.problem = self._chunk(py_spy, pid, rate, seconds)
            if result is None:
                failures += 1
                self._stopping.wait(0.3)
                continue
            failures = 0
            self.chunks += 1
            ended = time.perf_counter_ns()
            if result.samples >= 20:
                self.seconds_per_look = max(1e-5, result.cpu_seconds / result.samples)
            for line in fold(result, (started, ended), rate, self.frame_ids):
                self.writer.write(line)

    def _chunk(self, py_spy: str, pid: int, rate: int, seconds: int) -> tuple[ChunkResult | None, str]:
        output = self.run_dir / f"chunk-{self.chunks}.json"
        command = [
            py_spy,
            "record",
            "--pid",
            str(pid),
            "--subprocesses",
            "--idle",
            "--threads",
            "--nonblocking",
        ]
        command += ["--full-filenames", "--format", "speedscope", "--output", str(output)]
        command += ["--rate", str(rate), "--duration", str(seconds)]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._process = process
        assert process.stdout is not None
        text = process.stdout.read()
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        try:
            speedscope = json.loads(output.read_text())
        except (OSError, ValueError):
            return None, _explain(text)
        finally:
            output.unlink(missing_ok=True)
        counted = _SUMMARY.search(text)
        samples, failed = (int(counted[1]), int(counted[2])) if counted else (0, 0)
        late = len(_BEHIND.findall(text))
        return ChunkResult(speedscope, samples, failed, late, usage.ru_utime + usage.ru_stime), ""


def _explain(text: str) -> str:
    """py-spy's own words in one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    error = next((line for line in lines if "rror" in line), lines[-1] if lines else "no output")
    return f"py-spy could not sample: {error[:200]}"


Thread = tuple[int, int, str]
"""Process id, thread id, thread name."""
Stack = tuple[int, ...]


def fold(
    result: ChunkResult, period: tuple[int, int], rate: int, frame_ids: dict[tuple[str, str, int], int]
) -> list[dict[str, Any]]:
    """Counts per thread and stack, in slices of some seconds, so that start-up can be told from the rest.

    New frames are written with the slice that first saw them.
    """
    own_frames = result.speedscope["shared"]["frames"]
    threads = read_threads(result.speedscope["profiles"], [bool(frame["file"]) for frame in own_frames])
    ticks = max((len(samples) for _, samples in threads), default=0)
    slices = max(1, round((period[1] - period[0]) / SLICE_NS))
    per_slice = max(1, -(-ticks // slices))
    lines = []
    for number in range(slices):
        # Counted from the end: a thread may have started late, but all of them end together.
        first, last = ticks - number * per_slice, max(0, ticks - (number + 1) * per_slice)
        part = [(who, cut(samples, last, first, ticks)) for who, samples in threads]
        part = [(who, samples) for who, samples in part if samples]
        if not part:
            continue
        length = (period[1] - period[0]) / slices
        end = period[1] - number * length
        line = fold_slice(part, own_frames, frame_ids)
        line |= {"start": int(end - length), "end": int(end), "rate": rate}
        share = 1 / slices
        line |= {
            "samples": sum(len(samples) for _, samples in part),
            "cpu": round(result.cpu_seconds * share, 4),
        }
        line |= {"failed": result.failed if number == 0 else 0, "late": result.late if number == 0 else 0}
        lines.append(line)
    return lines


def cut(samples: list[Stack], first: int, last: int, ticks: int) -> list[Stack]:
    """The samples of ticks `first` to `last`, where the list's end is the last tick."""
    missing = ticks - len(samples)
    return samples[max(0, first - missing) : max(0, last - missing)]


def read_threads(profiles: list[dict[str, Any]], real: list[bool]) -> list[tuple[Thread, list[Stack]]]:
    """Each thread with its stacks in order; py-spy's own process and thread lines have no file."""
    threads = []
    for profile in profiles:
        matched = _THREAD.match(profile["name"])
        if matched is None or (matched[3] or "").startswith("goldsplit-"):
            continue
        who = (int(matched[1]), int(matched[2], 10 if matched[2].isdigit() else 16), matched[3] or "")
        threads.append(
            (who, [tuple(i for i in sample if real[i])[-MAX_DEPTH:] for sample in profile["samples"]])
        )
    return threads


def fold_slice(
    threads: list[tuple[Thread, list[Stack]]],
    own_frames: list[dict[str, Any]],
    frame_ids: dict[tuple[str, str, int], int],
) -> dict[str, Any]:
    """One slice's stacks, counted."""
    new_frames: list[tuple[str, str, int]] = []

    def frame_id(index: int) -> int:
        frame = own_frames[index]
        key = (frame["name"], frame["file"] or "", frame["line"] or 0)
        known = frame_ids.get(key)
        if known is None:
            known = frame_ids[key] = len(frame_ids)
            new_frames.append(key)
        return known

    rows: dict[tuple[int, int, str, Stack], int] = Counter()
    for who, samples in threads:
        for sample in samples:
            rows[(*who, sample)] += 1
    places = {row: place for place, row in enumerate(rows)}
    stacks = [[*row[:3], [frame_id(i) for i in row[3]], count] for row, count in rows.items()]
    return {"frames": new_frames, "stacks": stacks, "waits": co_occurrence(threads, own_frames, places)}


def co_occurrence(
    threads: list[tuple[Thread, list[Stack]]],
    frames: list[dict[str, Any]],
    places: dict[tuple[int, int, str, Stack], int],
) -> list[list[float]]:
    """While the first process's main thread waits: which stacks of other threads were busy at that tick.

    py-spy looks at all threads in one tick, so the n-th samples belong together, counted from the end
    (threads may start late). Where several are busy, each gets its part.
    """
    main = next((entry for entry in threads if entry[0][0] == entry[0][1]), None)
    if main is None:
        return []
    waiting = {i for i, frame in enumerate(frames) if is_waiting_frame(frame["name"], frame["file"] or "")}

    def is_waiting(sample: Stack) -> bool:
        return not sample or any(i in waiting for i in sample[-4:])

    weights: dict[tuple[int, int], float] = defaultdict(float)
    others = [entry for entry in threads if entry is not main]
    length = len(main[1])
    for back in range(1, length + 1):
        sample = main[1][-back]
        if not is_waiting(sample):
            continue
        busy = [
            places[(*identity, samples[-back])]
            for identity, samples in others
            if len(samples) >= back and not is_waiting(samples[-back])
        ]
        for place in busy:
            weights[places[(*main[0], sample)], place] += 1 / len(busy)
    return [[waiter, place, round(weight, 3)] for (waiter, place), weight in weights.items()]


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
