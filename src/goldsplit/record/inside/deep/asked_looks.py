"""Looks that the launcher asks for: made only then, because they import a lot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from goldsplit.model.wire import Variable

if TYPE_CHECKING:
    from goldsplit.record.inside.deep.controller import Controller
    from goldsplit.record.inside.memory_look import MemoryLook


def memory_look() -> MemoryLook | None:
    """The search for the line that keeps memory, which is part of the deep look."""
    if not os.environ.get(Variable.DEEP):
        return None
    from goldsplit.record.inside.memory_look import MemoryLook

    return MemoryLook()


def deep_look(run_dir: str) -> Controller | None:
    """The deep look of this process, if the launcher asked for one."""
    if not os.environ.get(Variable.DEEP):
        return None
    from goldsplit.record.inside.deep.controller import Controller

    return Controller(run_dir)
