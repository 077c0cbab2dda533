"""CPU, memory and GPU of the process tree, measured from outside every few seconds."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from typing import Any

import psutil

from goldsplit.model.wire import File, System
from goldsplit.record.inside.process_figures import thread_cpu
from goldsplit.record.outside.process_tree import ProcessTree
from goldsplit.record.writer import LineWriter

INTERVAL_SECONDS = 4.0
#: Processor time is counted in hundredths of a second: less than this says little.
LEAST_SECONDS = 0.5


class SystemMonitor:
    """Watches a process and all its descendants until stopped."""

    def __init__(self, root_pid: int, run_dir: Path) -> None:
        self.root_pid = root_pid
        self.tree = ProcessTree(root_pid)
        self.writer = LineWriter(str(run_dir / File.SYSTEM))
        self.known: dict[int, psutil.Process] = {}
        self.named: set[int] = set()
        self.cpu_before: dict[int, float] = {}
        self.time_before = time.monotonic()
        self.busy_cores = 1.0
        self.gpu = open_nvml()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="goldsplit-system", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, still_runs: bool = False) -> None:
        """`still_runs`: the program goes on, so that what it used until now can be measured."""
        self._stopping.set()
        self._thread.join(timeout=5)
        if still_runs and time.monotonic() - self.time_before >= LEAST_SECONDS:
            self._write()

    def _run(self) -> None:
        while True:
            self._write()
            if self._stopping.wait(INTERVAL_SECONDS):
                return

    def _write(self) -> None:
        line = self.measure()
        if line[System.PROCESSES]:
            self.writer.write(line)

    def measure(self) -> dict[str, Any]:
        """One line: every process with its CPU seconds so far and its memory now."""
        now = time.monotonic()
        processes: dict[str, dict[str, Any]] = {}
        cpu_before, self.cpu_before = self.cpu_before, {}
        cpu_delta = 0.0
        rss_total = 0
        for process in self.processes():
            try:
                with process.oneshot():
                    times, rss, threads = (
                        process.cpu_times(),
                        process.memory_info().rss,
                        process.num_threads(),
                    )
                    row: dict[str, Any] = {
                        System.CPU: round(times.user + times.system, 2),
                        System.RSS: rss,
                        System.THREADS: threads,
                    }
                    if process.pid not in self.named:
                        self.named.add(process.pid)
                        row |= {
                            System.NAME: process.name(),
                            System.PARENT_PID: process.ppid(),
                            System.COMMAND: process.cmdline()[:12],
                        }
            except (psutil.Error, OSError):
                continue
            files = open_files(process)
            if files is not None:
                row[System.FILES] = files
            on_core_ns, ready_ns = thread_cpu(process.pid, process.pid)
            if on_core_ns:  # a kernel without these figures says 0
                row[System.MAIN_THREAD] = [round(on_core_ns / 1e9, 3), round(ready_ns / 1e9, 3)]
            cpu_delta += max(0.0, row[System.CPU] - cpu_before.get(process.pid, row[System.CPU]))
            self.cpu_before[process.pid] = row[System.CPU]
            rss_total += rss
            processes[str(process.pid)] = row
        elapsed = max(1e-3, now - self.time_before)
        self.time_before = now
        self.busy_cores = cpu_delta / elapsed
        line = {
            System.TIME: time.perf_counter_ns(),
            System.CPU: round(100 * self.busy_cores, 1),
            System.RSS: rss_total,
            System.PROCESSES: processes,
        }
        if self.gpu is not None:
            line[System.GPU] = read_gpus(self.gpu)
        return line

    def processes(self) -> list[psutil.Process]:
        """The root and its descendants. Known objects are kept, because they cache what does not change."""
        known, self.known = self.known, {}
        for pid in (self.root_pid, *self.tree.below()):
            with contextlib.suppress(psutil.Error):  # it has ended
                self.known[pid] = known.get(pid) or psutil.Process(pid)
        return list(self.known.values()) if self.root_pid in self.known else []

    def load(self) -> tuple[int, float]:
        """How many processes there are and how many processors they keep busy."""
        return max(1, len(self.cpu_before)), self.busy_cores


def open_files(process: psutil.Process) -> int | None:
    """Files, pipes and sockets that a process holds open; None where the system does not tell."""
    try:
        return int(process.num_fds())
    except (psutil.Error, OSError, AttributeError):
        return None


def open_nvml() -> Any:
    """NVIDIA's counters, or None where there is no driver."""
    if not Path("/dev/nvidiactl").exists() and not Path("/dev/dxg").exists():  # dxg: under Windows' Linux
        return None  # importing the library would cost more than all other measuring in a short run
    try:
        import pynvml

        pynvml.nvmlInit()
        return pynvml if pynvml.nvmlDeviceGetCount() else None
    except Exception:
        return None


def read_gpus(nvml: Any) -> list[dict[str, Any]]:
    """Each device now. Utilisation means "a kernel was resident", not "the device was full"."""
    rows = []
    for index in range(nvml.nvmlDeviceGetCount()):
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        try:
            usage, memory = nvml.nvmlDeviceGetUtilizationRates(handle), nvml.nvmlDeviceGetMemoryInfo(handle)
            name = nvml.nvmlDeviceGetName(handle)
        except nvml.NVMLError:
            continue
        rows.append({System.NAME: str(name), System.UTILISATION: usage.gpu / 100, System.MEMORY: memory.used})
    return rows
