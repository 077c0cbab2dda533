"""What a run was (command, machine, versions, revision), so that a report can be understood later."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from importlib import metadata
from pathlib import Path
from typing import Any

from goldsplit.model.wire import Header

_PACKAGES = (
    *("dm-env", "envpool", "gymnasium", "numba", "numpy", "pettingzoo", "ray"),
    *("sb3-contrib", "stable-baselines3", "tianshou", "torch"),
)
_VARIABLES = ("CUDA_VISIBLE_DEVICES", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS")


def describe_run(
    run_id: str, name: str, command: tuple[str, ...], directory: Path | None = None
) -> dict[str, Any]:
    """The header of a new run."""
    return {
        Header.ID: run_id,
        Header.NAME: name,
        Header.COMMAND: list(command),
        Header.FOLDER: str((directory or Path.cwd()).absolute()),
        Header.STARTED: time.time(),
        Header.HOST: platform.node(),
        Header.PYTHON: platform.python_version(),
        Header.PACKAGES: installed(),
        Header.GIT: git_revision(directory),
        Header.SEED: seed_in(command),
        Header.ENVIRONMENT: {
            Header.CORES: len(os.sched_getaffinity(0)),
            Header.OS: platform.platform(terse=True),
            **{name: os.environ[name] for name in _VARIABLES if name in os.environ},
        },
    }


def installed() -> dict[str, str]:
    """Versions of the packages that matter, as installed beside goldsplit."""
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def git_revision(directory: Path | None = None) -> dict[str, Any] | None:
    """The revision of a directory (None: the current one), and whether it has uncommitted changes."""
    try:
        return {
            Header.REVISION: _git(directory, "rev-parse", "HEAD"),
            Header.CHANGED: bool(_git(directory, "status", "--porcelain", "--untracked-files=no")),
        }
    except (OSError, subprocess.SubprocessError):
        return None


def _git(directory: Path | None, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], capture_output=True, text=True, timeout=5, check=True, cwd=directory
    )
    return done.stdout.strip()


def seed_in(command: tuple[str, ...]) -> int | None:
    """The value of a --seed argument, if the command has one."""
    for argument, following in zip(command, [*command[1:], ""], strict=True):
        value = following if argument == "--seed" else argument.removeprefix("--seed=")
        if argument.partition("=")[0] == "--seed" and value.isdecimal():
            return int(value)
    return None
