"""Which loop of user code leads to a call: for facts about work that is repeated.

The innermost user line above `optimizer.step` is often `optimizer.step()` itself; what decides how often it
runs is the innermost user line that lies in a loop.
"""

from __future__ import annotations

import dis
from types import CodeType, FrameType

from goldsplit.model.stack_frames import is_library
from goldsplit.record.inside.facts import place_of

#: More frames than this above a call are not searched.
DEEPEST = 60

_loops: dict[CodeType, list[tuple[int, int]]] = {}


def loop_place(frame: FrameType | None) -> str:
    """The innermost line of user code that lies in a loop; if none does, its innermost line."""
    fallback = ""
    for _ in range(DEEPEST):
        if frame is None:
            break
        if not is_library(frame.f_code.co_filename):
            if in_loop(frame.f_code, frame.f_lasti):
                return place_of(frame)
            fallback = fallback or place_of(frame)
        frame = frame.f_back
    return fallback


def in_loop(code: CodeType, instruction: int) -> bool:
    """Whether an instruction lies between a backward jump and the jump's target."""
    loops = _loops.get(code)
    if loops is None:
        loops = _loops[code] = [
            (step.argval, step.offset)
            for step in dis.get_instructions(code)
            if "BACKWARD" in step.opname and isinstance(step.argval, int)
        ]
    return any(first <= instruction <= last for first, last in loops)
