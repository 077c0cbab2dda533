"""What goldsplit is called in the shell that it was started from."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from goldsplit.model.pasting import Shell, quoted


def this_shell() -> Shell:
    """`goldsplit` where the path has the one that runs now; else the interpreter that has it."""
    try:
        folder = str(Path.cwd())
    except FileNotFoundError:  # somebody removed it
        folder = ""
    if is_on_path("goldsplit", Path(sys.executable).parent):
        return Shell("goldsplit", "goldsplit", folder)
    if is_on_path("python", Path(sys.executable).parent):
        return Shell("python -m goldsplit", "python -m goldsplit", folder)
    near = min(sys.executable, os.path.relpath(sys.executable, folder), key=len) if folder else sys.executable
    here, anywhere = (f"{quoted(python)} -m goldsplit" for python in (near, sys.executable))
    return Shell(here, anywhere, folder)


def is_on_path(program: str, folder: Path) -> bool:
    """Whether the path has a program first in this folder: another environment may have one of that name."""
    found = shutil.which(program)
    return found is not None and Path(found).absolute().parent == folder
