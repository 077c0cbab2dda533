"""One kind of thing per file, libraries in `libraries/`. Each `install()` waits until the program imports
what it is for, and imports nothing of it itself."""

from __future__ import annotations

from goldsplit.record.inside.hooks import (
    classes,
    compilers,
    coroutines,
    libraries,
    mapping,
    named_functions,
    output,
    processes,
    torch,
    waiting,
)


def install(stages: dict[str, str]) -> None:
    """Install every hook; `stages` maps the user's own targets to stages."""
    mapping.install(stages)
    named_functions.install(stages)
    classes.install()
    waiting.install()
    coroutines.install()
    processes.install()
    output.install()
    libraries.install()
    torch.install()
    compilers.install()
