"""Start a command as the user would, watch it from outside until it ends, and pass its end through."""

from __future__ import annotations

import ctypes
import dataclasses
import errno
import json
import os
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from goldsplit.errors import CommandError
from goldsplit.model.overlays.overlay import STOPPED, STOPPED_EXIT_CODE
from goldsplit.model.wire import Counter, File, Key, Variable
from goldsplit.record.outside.known_names import take_over_names
from goldsplit.record.outside.overlaid_run import ending_if_stopped, put_on, why_stopped
from goldsplit.record.outside.passed_signals import forwarding_signals, ignores, in_foreground
from goldsplit.record.outside.process_tree import ProcessTree
from goldsplit.record.outside.ptrace_permission import refused_stacks
from goldsplit.record.outside.sampler import LoopView, StackSampler, is_python
from goldsplit.record.outside.system import SystemMonitor

AUTOSTART = Path(__file__).parents[1] / "inside" / "autostart"
_PR_SET_CHILD_SUBREAPER = 36
#: How long workers of a killed trainer may take to notice; then they are ended.
ORPHAN_GRACE_SECONDS = 5.0

#: How often to check whether there is something to show; the command's end is noticed at once.
TICK_MILLISECONDS = 500

_STEPS = re.compile(rf'"{Key.STEPS}":\[(\d+),'.encode())
#: In all, or of one optimizer (`updates:0`).
_UPDATES = re.compile(rf'"\d+:{Counter.UPDATES}(?::\d+)?":[1-9]'.encode())
_THREADS = re.compile(rf'"{Key.THREADS}":(\[\[.*?\]\])'.encode())
_THREAD = re.compile(rb"\[\d+,\d+,\d+")

_COMMAND = "the command goes after `--`, as in: goldsplit record -- python train.py"
#: Why the system could not start a file that is there and executable, and what to do.
_NOT_STARTED = {
    errno.ENOEXEC: "a script needs a #! line (#!/usr/bin/env python3), or its interpreter before it",
    errno.ENOENT: "the interpreter that its first line (#!) names is not there",
}

Tick = Callable[[], None]


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """How to record."""

    stages: dict[str, str] = field(default_factory=dict)
    rate_hz: int | None = None
    stacks: bool = True
    duration_seconds: float | None = None
    deep: bool = False
    overlays: tuple[str, ...] = ()
    """What is changed from outside: texts that `model/overlays/written.py` can parse."""
    trajectory: bool = False
    """Whether the results of all environment steps are hashed, to be compared with another run's."""
    gpu: bool = False
    """Whether processes look at the device that they use."""
    live: bool = False
    """Whether somebody looks at a panel meanwhile, and wants to see stacks soon."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that the command gets beside the user's own."""
    directory: Path | None = None
    """Where the command starts; None: here."""
    output: Path | None = None
    """A file for what the command prints; None: it goes where ours goes. With a file it gets no input."""
    former: Path | None = None
    """A run of the same files, whose reading of their source is taken over if they have not changed."""


#: How a command returns that Ctrl-C or SIGTERM has ended, or that a shell started.
_BY_SIGNAL = (-signal.SIGINT, -signal.SIGTERM, 130, 143)


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How the recorded command ended."""

    exit_code: int
    """As the shell counts: 128 + n after signal n."""
    status: str
    signal: int | None
    ended_ns: int
    notes: tuple[str, ...]
    started_ns: int | None = None
    """When the command was started; None: not known."""
    as_asked: bool = False
    """The time that it was given was over, and it ended by the signal that it got then."""


def child_environment(
    run_dir: Path, run_start_ns: int, stages: dict[str, str], changes: dict[str, str] | None = None
) -> dict[str, str]:
    """The user's environment with some changes, and what makes every Python process in it record itself."""
    environment = dict(os.environ) | (changes or {})
    before = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = str(AUTOSTART) + (os.pathsep + before if before else "")
    environment[Variable.RUN_DIR] = str(run_dir)
    environment[Variable.RUN_START_NS] = str(run_start_ns)
    environment[Variable.STAGES] = json.dumps(stages)
    return environment


def check_command(command: tuple[str, ...]) -> None:
    """Refuse, before anything is written, a command that cannot start."""
    program = command[0]
    if shutil.which(program) is None:
        why, hint = "no such command", f"check the spelling; {_COMMAND}"
        if Path(program).is_dir():
            why, hint = "it is a directory", f"name the program in it; {_COMMAND}"
        elif Path(program).is_file():
            hint = f"it is not executable; put its interpreter first: goldsplit record -- python {program}"
        raise CommandError(f"cannot run {program!r}: {why}", hint)


def run(
    command: tuple[str, ...], run_dir: Path, run_start_ns: int, options: RecordOptions, tick: Tick
) -> RunEnd:
    """Run the command to its end; `tick` is called a few times a second meanwhile."""
    _adopt_orphans()
    received: list[int] = []
    environment = child_environment(run_dir, run_start_ns, options.stages, options.environment)
    refused = refused_stacks() if options.stacks else ""
    if refused:  # then each process samples its own main thread
        environment[Variable.TIMER_STACKS] = "1"
        options = dataclasses.replace(options, stacks=False)
    if options.deep:
        environment[Variable.DEEP] = "1"
    if options.trajectory:
        environment[Variable.TRAJECTORY] = "1"
    if options.gpu:
        environment[Variable.GPU] = "1"
    put_on(options.overlays, environment)
    if options.former is not None:
        take_over_names(options.former, run_dir)
    with forwarding_signals(received) as signals:
        started_ns = time.perf_counter_ns()
        signals.child = child = _start(command, environment, options)
        end = _watch(child, run_dir, options, tick, received)
    notes = (*end.notes, refused) if refused else end.notes
    return dataclasses.replace(end, notes=notes, started_ns=started_ns)


def run_unrecorded(command: tuple[str, ...], tick: Tick) -> RunEnd:
    """What `run` does, without the recorder."""
    received: list[int] = []
    with forwarding_signals(received) as signals:
        signals.child = child = _start(command, dict(os.environ), RecordOptions())
        _wait(child, None, tick, received)
    return _run_end(child.returncode, received, time.perf_counter_ns(), [])


def _start(
    command: tuple[str, ...], environment: dict[str, str], options: RecordOptions
) -> subprocess.Popen[bytes]:
    """Start the command. Without a terminal it gets its own process group: then a signal to our group
    reaches it only once, through us."""
    group = None if in_foreground() else 0
    where = options.directory
    try:
        if options.output is None:
            return subprocess.Popen(command, env=environment, cwd=where, process_group=group)
        nothing = subprocess.DEVNULL
        with options.output.open("wb") as printed:
            return subprocess.Popen(
                command,
                env=environment,
                cwd=where,
                process_group=group,
                stdin=nothing,
                stdout=printed,
                stderr=subprocess.STDOUT,
            )
    except OSError as error:
        is_its_own = error.filename in (None, command[0])  # not the folder that it starts in
        hint = _NOT_STARTED.get(error.errno or 0, "") if is_its_own else ""
        raise CommandError(
            f"cannot run {command[0]!r}: {error.strerror}", hint or "check the command"
        ) from error


def _watch(
    child: subprocess.Popen[bytes], run_dir: Path, options: RecordOptions, tick: Tick, received: list[int]
) -> RunEnd:
    """Sample and measure until the command ends."""
    monitor = SystemMonitor(child.pid, run_dir)
    sampler = StackSampler(
        lambda: python_target(child.pid),
        monitor.load,
        run_dir,
        options.rate_hz,
        loop_view=lambda: loop_view(run_dir),
        is_watched=options.live,
    )
    monitor.start()
    if options.stacks:
        sampler.start()
    time_over = _wait(child, options.duration_seconds, ending_if_stopped(child, run_dir, tick), received)
    ended_ns = time.perf_counter_ns()
    monitor.stop()
    sampler.stop()
    notes = _end_orphans(child)
    if sampler.problem and not sampler.chunks:
        notes.append(sampler.problem)
    why = why_stopped(run_dir)
    if why is not None:
        return RunEnd(STOPPED_EXIT_CODE, STOPPED, None, ended_ns, (why, *notes))
    end = _run_end(child.returncode, received, ended_ns, notes)
    return dataclasses.replace(end, as_asked=time_over and child.returncode in _BY_SIGNAL)


def _run_end(return_code: int, received: list[int], ended_ns: int, notes: list[str]) -> RunEnd:
    killed_by = -return_code if return_code < 0 else None
    exit_code = return_code if killed_by is None else 128 + killed_by
    return RunEnd(exit_code, status_of(return_code, received), killed_by, ended_ns, tuple(notes))


def status_of(return_code: int, received: list[int]) -> str:
    """How a run ended, in one word."""
    if return_code == -signal.SIGKILL:
        return "killed"
    if received or return_code in _BY_SIGNAL:
        return "interrupted"
    return "complete" if return_code == 0 else "crashed"


def loop_view(run_dir: Path) -> LoopView:
    """Whether any process has counted an environment step or an update. Only the ends of files are read."""
    began: list[int] = []
    threads = 1
    for file in run_dir.glob(File.PROCESSES):
        try:
            with file.open("rb") as stream:
                stream.seek(max(0, file.stat().st_size - 40_000))
                end = stream.read()
        except OSError:
            continue
        began += [first for first in map(int, _STEPS.findall(end)) if first]
        if _UPDATES.search(end):
            began.append(time.perf_counter_ns())
        threads = max([threads, *(len(_THREAD.findall(rows)) for rows in _THREADS.findall(end))])
    return LoopView(min(began, default=0), threads)


def python_target(pid: int) -> int | None:
    """The process to sample: the command itself, or if that is a shell, the first Python process below."""
    if is_python(pid):
        return pid
    return next((below for below in ProcessTree(pid).below() if is_python(below)), None)


def _wait(child: subprocess.Popen[bytes], duration: float | None, tick: Tick, received: list[int]) -> bool:
    """Until the command ends. True: its time was over before, and it was asked to end."""
    deadline = None if duration is None else time.monotonic() + duration
    asked = 0
    handle = os.pidfd_open(child.pid)
    ended = select.poll()
    ended.register(handle, select.POLLIN)
    while True:
        if ended.poll(TICK_MILLISECONDS):
            os.close(handle)
            child.wait()
            return asked > 0
        tick()
        if deadline is not None and time.monotonic() > deadline:
            # First Ctrl-C, so that the program can save its work; then harder signals. What ignores Ctrl-C,
            # as a background job of a script does, gets the next one at once.
            received.append(signal.SIGINT)
            if asked == 0 and ignores(child.pid, signal.SIGINT):
                asked = 1
            child.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGKILL)[min(asked, 2)])
            asked += 1
            deadline = time.monotonic() + 10


def _adopt_orphans() -> None:
    """If a parent dies, let its workers become our children, so that we see and end all of them."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return


def _end_orphans(child: subprocess.Popen[bytes]) -> list[str]:
    """After a crash or kill: wait for the workers that are left, then end them. After a clean exit they go
    on: the program left them running on purpose."""
    left = [process for process in psutil.Process().children(recursive=True) if process.pid != child.pid]
    if not left:
        return []
    clean = child.returncode == 0
    _, alive = psutil.wait_procs(left, timeout=1.0 if clean else ORPHAN_GRACE_SECONDS)
    if clean:
        return [f"{len(alive)} process(es) that the program started are still running"] if alive else []
    for process in alive:
        process.terminate()
    _, alive = psutil.wait_procs(alive, timeout=3)
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, timeout=3)
    return []
