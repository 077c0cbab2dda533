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
#: Instructions between the end of an exception's handler and its jump back.
HANDLED = 4

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
    return any(first <= instruction <= last for first, last in _known_loops(code))


def has_loop(code: CodeType) -> bool:
    """Whether a function repeats anything."""
    return bool(_known_loops(code))


def _known_loops(code: CodeType) -> list[tuple[int, int]]:
    if code not in _loops:
        _loops[code] = _loops_of(code)
    return _loops[code]


def _loops_of(code: CodeType) -> list[tuple[int, int]]:
    """First and last instruction of each loop. What handles an exception lies at the end of the code, and
    jumps back from there to go on: that is no loop."""
    steps = list(dis.get_instructions(code))
    return [
        (step.argval, step.offset)
        for number, step in enumerate(steps)
        if "BACKWARD" in step.opname
        and isinstance(step.argval, int)
        and all(before.opname != "POP_EXCEPT" for before in steps[max(0, number - HANDLED) : number])
    ]
