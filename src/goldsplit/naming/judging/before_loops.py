"""What only begins a game, though its answer says whether it is over, as a step's does.

`asked = begin(story)` before `while not asked.over: … asked = answer(story, move)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.naming.reading.code_facts import Call, Function

if TYPE_CHECKING:
    from goldsplit.naming.steps import StepFunction


def begins_only(step: StepFunction, others: list[StepFunction]) -> bool:
    """Whether what looks like a step is called only before the loops of games, in which another step gives
    the same names their values."""
    return bool(step.sites) and all(
        any(is_before(caller, call, *site) for one in others if one is not step for site in one.sites)
        for caller, call in step.sites
    )


def is_before(caller: Function, call: Call, where: Function, step: Call) -> bool:
    outside = caller is where and len(call.loops) < len(step.loops) and call.order < step.order
    if not outside or call.loops != step.loops[: len(call.loops)]:
        return False
    return bool(_told(caller, call) & _told(caller, step))


def _told(caller: Function, call: Call) -> set[str]:
    """The names that a call gives their values."""
    return {name for one in caller.assignments if one.direct is call for name in one.targets if name}
