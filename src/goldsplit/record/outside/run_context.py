"""What a run was: command, machine, versions, revision; so that a report can be understood later."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from importlib import metadata
from typing import Any

_PACKAGES = ("gymnasium", "numba", "numpy", "ray", "sb3-contrib", "stable-baselines3", "torch")
_VARIABLES = ("CUDA_VISIBLE_DEVICES", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS")


def describe_run(run_id: str, name: str, command: tuple[str, ...]) -> dict[str, Any]:
    """The header of a new run."""
    return {
        "id": run_id,
        "name": name,
        "command": list(command),
        "started": time.time(),
        "host": platform.node(),
        "python": platform.python_version(),
        "packages": installed(),
        "git": git_revision(),
        "seed": seed_in(command),
        "environment": {
            "cores": len(os.sched_getaffinity(0)),
            "os": platform.platform(terse=True),
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


def git_revision() -> dict[str, Any] | None:
    """The revision of the current directory, and whether it has uncommitted changes."""
    try:
        revision = _git("rev-parse", "HEAD")
        return {"revision": revision, "changed": bool(_git("status", "--porcelain", "--untracked-files=no"))}
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=5, check=True)
    return done.stdout.strip()


def seed_in(command: tuple[str, ...]) -> int | None:
    """The value of a --seed argument, if the command has one."""
    for argument, following in zip(command, [*command[1:], ""], strict=True):
        value = following if argument == "--seed" else argument.removeprefix("--seed=")
        if argument.partition("=")[0] == "--seed" and value.isdecimal():
            return int(value)
    return None
