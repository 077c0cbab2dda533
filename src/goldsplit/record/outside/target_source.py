"""Read the source of a program that is already running, from outside: so its stacks get stages too."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from goldsplit.record.outside.process_tree import ProcessTree
from goldsplit.record.outside.sampler import is_python
from goldsplit.record.own_source import named_functions, script_of

#: A launcher starts the same script many times; more scripts than this are not read.
MOST_PROCESSES = 16


def read_target_source(pid: int, run_dir: Path) -> list[str]:
    """Write into a run's directory what the functions of a running program are taken for. Returns notes: it
    never fails, as stacks are worth having without it."""
    notes = []
    for python in [one for one in [pid, *ProcessTree(pid).below()] if is_python(one)][:MOST_PROCESSES]:
        try:
            _read(psutil.Process(python), run_dir)
        except psutil.NoSuchProcess:
            continue
        except Exception as error:
            notes.append(f"the source of process {python} was not read: {error!r}")
    return notes


def _read(process: psutil.Process, run_dir: Path) -> None:
    directory = Path(process.cwd())
    script = script_of(process.cmdline(), directory)
    if script is not None:
        named_functions(str(run_dir), script, [str(directory), *_search_path(process)])


def _search_path(process: psutil.Process) -> list[str]:
    """Where else the program looks for modules, as far as its environment says."""
    try:
        text = process.environ().get("PYTHONPATH", "")
    except psutil.Error:
        return []
    directory = process.cwd()
    return [os.path.join(directory, entry) for entry in text.split(os.pathsep) if entry]  # noqa: PTH118
