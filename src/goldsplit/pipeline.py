"""The whole flow on one page: running program → recording → profile → findings → report.

Recording writes files; everything after reads files. So a run can be shown again, later and elsewhere.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from goldsplit.analyse.profile import analyse
from goldsplit.analyse.trust import unmatched
from goldsplit.diagnose.findings import diagnose
from goldsplit.errors import ConfigError, OutputError
from goldsplit.model.report import Report
from goldsplit.record import launch
from goldsplit.record.context import describe_run
from goldsplit.store.directory import clean_name, create_run, process_birth, write_header
from goldsplit.store.reader import read_run

Tick = Callable[[Path], None]
"""Called a few times a second with the run's directory, while the recording goes on."""


def record(
    command: tuple[str, ...],
    root: Path,
    name: str,
    options: launch.RecordOptions,
    tick: Tick,
) -> tuple[Path, launch.RunEnd]:
    """Run a command to its end, and leave a run directory."""
    launch.check_command(command)
    run_id = new_run_id(name)
    run_dir = create_run(root, run_id)
    start_ns = time.perf_counter_ns()
    header = describe_run(run_id, name, command) | {
        "kind": "record",
        "status": "running",
        "recorder": [os.getpid(), process_birth(os.getpid())],
        "start_ns": start_ns,
        "stages": options.stages,
    }
    write_header(run_dir, header)
    end = launch.run(command, run_dir, start_ns, options, partial(tick, run_dir))
    header |= {"status": end.status, "exit_code": end.exit_code, "end_ns": end.ended_ns}
    try:
        write_header(run_dir, header | {"notes": list(end.notes)})
    except (OutputError, OSError) as error:  # the command's exit code matters more than our header
        print(f"goldsplit: {error}", file=sys.stderr)
    return run_dir, end


def attach(pid: int, root: Path, name: str, rate_hz: int, duration_seconds: float | None, tick: Tick) -> Path:
    """Sample a running process, and leave a run directory."""
    target = launch.attachable(pid)
    run_id = new_run_id(name or f"attach-{pid}")
    run_dir = create_run(root, run_id)
    header = describe_run(run_id, name, tuple(target.cmdline())) | {
        "kind": "attach",
        "status": "running",
        "recorder": [os.getpid(), process_birth(os.getpid())],
        "target_pid": launch.python_target(pid),
        "start_ns": time.perf_counter_ns(),
    }
    write_header(run_dir, header)
    status, notes = launch.attach(target, run_dir, rate_hz, duration_seconds, partial(tick, run_dir))
    write_header(run_dir, header | {"status": status, "end_ns": time.perf_counter_ns(), "notes": notes})
    return run_dir


def report(run_dir: Path) -> Report:
    """Read a run and explain it."""
    profile = analyse(read_run(run_dir))
    return Report(profile, diagnose(profile))


def check_stages(run_dir: Path) -> None:
    """Complain about stage targets that never matched: their figures are missing, and silently so."""
    missing = unmatched(read_run(run_dir))
    if missing:
        told = "; ".join(f"{target} ({why})" for target, why in missing.items())
        raise ConfigError(
            f"stage target never matched: {told}",
            "write the module as the program imports it, or __main__:name for the script itself",
        )


def new_run_id(name: str) -> str:
    """A run's id: when, and what."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    cleaned = clean_name(name)
    unique = f"{time.perf_counter_ns() // 1000 % 1000:03d}"
    return f"{stamp}-{cleaned}-{unique}" if cleaned else f"{stamp}-{unique}"
