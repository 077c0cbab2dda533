"""The driver's ties to the recorder: none where nothing records, so that it can be run alone."""

from __future__ import annotations

from typing import Any

from goldsplit.model.stage import DRIVER, ENV_STEP, VEC_COPY
from goldsplit.record.drive.loop import Quiet
from goldsplit.record.inside import lifecycle
from goldsplit.record.inside.core import this_thread
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks.stepping import after_env_step, after_vector_step
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.span_wrapping import staged

#: What the driver itself does between two calls of the environment; as in model/stage.py.
STAGE = DRIVER
_AFTER = {ENV_STEP: after_env_step, VEC_COPY: after_vector_step}


def wrap(function: Any, stage: str) -> Any:
    """A method of the environment as a span. Where hooks have staged it already, only the outermost span
    counts; where they could not know it (a class in C, a plain class of a library), this one does."""
    return function if lifecycle.RECORDER is None else staged(function, stage, _AFTER.get(stage))


def watch() -> Any:
    """What the loop tells the recorder."""
    return Quiet() if lifecycle.RECORDER is None else Watch()


class Watch:
    """Books the driver's own time as a stage."""

    def __init__(self) -> None:
        self.state: ThreadState = this_thread()
        self.node: Node | None = None

    def enter(self) -> None:
        self.node = self.state.enter(STAGE)

    def leave(self) -> None:
        if self.node is not None:
            self.state.leave(self.node)
            self.node = None
