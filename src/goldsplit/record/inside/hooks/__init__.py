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
from goldsplit.record.inside.own_failures import harmless

#: In this order.
_WITHOUT_STAGES = (classes, waiting, coroutines, processes, output, libraries, torch, compilers)


def install(stages: dict[str, str]) -> None:
    """Install every hook; `stages` maps the user's own targets to stages. One that fails leaves out its own
    spans, not those of the others."""
    for one in (mapping, named_functions):
        with harmless(f"installing {one.__name__.rpartition('.')[2]}"):
            one.install(stages)
    for hook in _WITHOUT_STAGES:
        with harmless(f"installing {hook.__name__.rpartition('.')[2]}"):
            hook.install()
