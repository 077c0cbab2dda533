"""What links the driver to the recorder: nothing where nothing records, so that it can be run alone."""

from __future__ import annotations

from typing import Any

from goldsplit.model.stage import DRIVER, ENV_STEP, VEC_COPY
from goldsplit.record.drive.loop import NoRecorder
from goldsplit.record.inside import lifecycle
from goldsplit.record.inside.core import this_thread
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks.stepping import after_env_step, after_vector_step
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.span_wrapping import staged

_AFTER = {ENV_STEP: after_env_step, VEC_COPY: after_vector_step}


def wrap(function: Any, stage: str) -> Any:
    """A method of the environment as a span. Hooks may have given it one already: then only the outermost
    counts. They do not know a class in C or a plain class of a library: then this one counts."""
    return function if lifecycle.RECORDER is None else staged(function, stage, _AFTER.get(stage))


def link_recorder() -> Any:
    """What the loop tells when the driver's own work begins and ends."""
    return NoRecorder() if lifecycle.RECORDER is None else RecorderLink()


class RecorderLink:
    """Records the driver's own time as a stage."""

    def __init__(self) -> None:
        self.state: ThreadState = this_thread()
        self.node: Node | None = None

    def enter(self) -> None:
        self.node = self.state.enter(DRIVER)

    def leave(self) -> None:
        if self.node is not None:
            self.state.leave(self.node)
            self.node = None
