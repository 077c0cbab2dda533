"""What recording needs on a machine, one small check each. Nothing here prints; `goldsplit doctor` does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from goldsplit.model.wire import File, Variable
from goldsplit.record.inside.core import IS_COMPILED
from goldsplit.record.outside.launch import child_environment
from goldsplit.record.outside.py_spy import find_py_spy
from goldsplit.record.outside.run_context import installed
from goldsplit.record.outside.system import open_nvml

OLDEST_PYTHON = (3, 11)
PTRACE_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")
NO_STACKS = "spans, counters and the stage split work without stacks; hot spots and `attach` do not"

_SLEEPER = "import time\nwhile True: time.sleep(0.005)"
_TWO_PROCESSES = """
import json, multiprocessing, os
class Game:
    def reset(self): return 0
    def step(self, action): return 0, 0.0, True, False, {}
def play(queue):
    game = Game()
    game.reset()
    game.step(0)
    if queue is not None: queue.put(os.getpid())
if __name__ == "__main__":
    play(None)
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    child = context.Process(target=play, args=(queue,))
    child.start()
    pid = queue.get()
    child.join()
    print(json.dumps([os.getpid(), pid]))
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One answer. With `ok` a hint is advice; without, it says what to do."""

    name: str
    ok: bool
    detail: str
    hint: str = ""
    needed: bool = False
    """Without it, nothing can be recorded."""


def check_python(version: tuple[int, ...] = sys.version_info[:3]) -> Check:
    """The interpreter that goldsplit runs in; the training's own may be another."""
    text = ".".join(map(str, version))
    if version >= OLDEST_PYTHON:
        return Check("python", True, text, needed=True)
    return Check("python", False, f"{text} is too old", "use Python 3.11 or newer", needed=True)


def check_core(is_compiled: bool = IS_COMPILED) -> Check:
    """Whether spans run through the compiled core."""
    if is_compiled:
        return Check("spans", True, "compiled")
    hint = "recording works, and costs the program two to three times as much; "
    hint += "install a wheel, or a C compiler and Python's headers, and goldsplit again"
    return Check("spans", True, "not compiled, in Python", hint)


def check_ptrace(path: Path = PTRACE_SCOPE, user_id: int | None = None) -> Check:
    """Whether the kernel lets one process read another's memory."""
    user_id = os.geteuid() if user_id is None else user_id
    try:
        scope = int(path.read_text())
    except (OSError, ValueError):
        return Check("ptrace", True, "not restricted by this kernel")
    if scope == 0 or (scope < 3 and user_id == 0):
        return Check("ptrace", True, f"ptrace_scope is {scope}" + (", and you are root" if scope else ""))
    hint = "allow it until the next start: sudo sysctl kernel.yama.ptrace_scope=0"
    if scope == 3:
        hint = "ptrace_scope 3 can only be changed by a restart with another kernel setting"
    return Check(
        "ptrace", False, f"ptrace_scope is {scope}: only parents and root may sample", f"{hint}; {NO_STACKS}"
    )


def check_sampling(py_spy: str | None = None) -> Check:
    """Start a Python process and really sample it for a second."""
    py_spy = py_spy or find_py_spy()
    if py_spy is None:
        return Check("stack sampling", False, "py-spy is not installed", f"pip install py-spy; {NO_STACKS}")
    child = subprocess.Popen([sys.executable, "-c", _SLEEPER])
    try:
        time.sleep(0.3)  # until the interpreter is up
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "stacks.json"
            command = [py_spy, "record", "--pid", str(child.pid), "--idle", "--nonblocking", "--rate", "50"]
            command += ["--duration", "1", "--format", "speedscope", "--output", str(output)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=20)
            samples = count_samples(output)
    except (OSError, subprocess.SubprocessError) as error:
        return Check("stack sampling", False, f"py-spy could not run: {error}", NO_STACKS)
    finally:
        child.kill()
        child.wait()
    if samples:
        return Check("stack sampling", True, f"py-spy took {samples} samples of a child process in a second")
    said = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    detail = next((line for line in said if "rror" in line), "no sample was taken")
    hint = "in a container: docker run --cap-add SYS_PTRACE; else see the ptrace line"
    return Check("stack sampling", False, f"py-spy: {detail[:160]}", f"{hint}; {NO_STACKS}")


def count_samples(speedscope: Path) -> int:
    """Samples in py-spy's output; 0 if there is none."""
    try:
        profiles = json.loads(speedscope.read_text())["profiles"]
        return sum(len(profile["samples"]) for profile in profiles)
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def check_following(environment: Mapping[str, str] | None = None) -> Check:
    """Run a script with a spawned worker as `goldsplit record` would; both must record themselves."""
    name, needed = "process following", True
    with tempfile.TemporaryDirectory() as folder:
        run_dir = Path(folder)
        script = run_dir / "two_processes.py"
        script.write_text(_TWO_PROCESSES)
        variables = child_environment(run_dir, time.perf_counter_ns(), {}) | dict(environment or {})
        try:
            done = subprocess.run(
                [sys.executable, str(script)], env=variables, capture_output=True, text=True, timeout=60
            )
            wanted = set(json.loads(done.stdout.strip().splitlines()[-1]))
        except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
            return Check(
                name, False, f"the test script failed: {error!r}", f"run it with {Variable.DEBUG}=1", needed
            )
        found = {recorded_pid(file) for file in run_dir.glob(File.PROCESSES)}
    if wanted <= found:
        return Check(name, True, "a script and the worker that it spawned recorded themselves", needed=needed)
    who = "neither process" if not wanted & found else "only one of two processes"
    hint = "is PYTHONNOUSERSITE, PYTHONSAFEPATH or `python -I/-E/-S` in the way? "
    hint += f"{Variable.DEBUG}=1 says more"
    return Check(name, False, f"{who} recorded itself", hint, needed)


def recorded_pid(file: Path) -> int:
    """The process that a file of a run is of."""
    return int(file.name.removeprefix(File.PROCESS_PREFIX).partition("-")[0])


def check_scheduler(path: Path = Path("/proc/self/schedstat")) -> Check:
    """Whether the kernel counts processor time and waiting for a processor."""
    if path.exists():
        return Check("scheduler figures", True, "CPU time and waiting for a core are measured per thread")
    return Check(
        "scheduler figures", False, f"no {path}", "CPU seconds of threads are not measured here (Linux only)"
    )


def check_gpu() -> Check:
    """NVIDIA's counters."""
    nvml = open_nvml()
    if nvml is None:
        return Check("GPU", True, "no NVIDIA driver: GPU is not measured")
    names = [
        str(nvml.nvmlDeviceGetName(nvml.nvmlDeviceGetHandleByIndex(index)))
        for index in range(nvml.nvmlDeviceGetCount())
    ]
    return Check("GPU", True, f"{', '.join(names)}: utilisation and memory are measured")


def check_threads(environment: Mapping[str, str], cores: int) -> Check:
    """Numerical libraries start a thread per core in every process; workers seldom need them."""
    text = environment.get("OMP_NUM_THREADS", "")
    if not text.isdigit():
        hint = "with worker processes try OMP_NUM_THREADS=1, and torch.set_num_threads(N) in the trainer"
        detail = f"OMP_NUM_THREADS is not set: each process may start {cores} threads on {cores} cores"
        return Check("threads", True, detail, hint if cores > 1 else "")
    if int(text) > cores:
        return Check(
            "threads", False, f"OMP_NUM_THREADS is {text} on {cores} cores", "set it to 1, or to the cores"
        )
    return Check("threads", True, f"OMP_NUM_THREADS is {text} on {cores} cores")


def check_versions(packages: Mapping[str, str] | None = None) -> Check:
    """What is installed beside goldsplit; the training's interpreter may have others."""
    packages = installed() if packages is None else packages
    text = ", ".join(f"{name} {version}" for name, version in sorted(packages.items()))
    return Check("libraries", True, text or "none of the known ones beside goldsplit")


def check_run_directory(root: Path) -> Check:
    """Whether runs can be written."""
    existing = next(path for path in (root, *root.resolve().parents) if path.exists())
    if os.access(existing, os.W_OK | os.X_OK) and existing.is_dir():
        return Check("run directory", True, f"{root} can be written", needed=True)
    return Check(
        "run directory",
        False,
        f"{existing} cannot be written",
        "choose another place: --out DIR",
        needed=True,
    )


def examine(root: Path) -> list[Check]:
    """All checks on this machine."""
    return [
        check_python(),
        check_core(),
        check_following(),
        check_run_directory(root),
        check_sampling(),
        check_ptrace(),
        check_scheduler(),
        check_gpu(),
        check_threads(os.environ, len(os.sched_getaffinity(0))),
        check_versions(),
    ]
