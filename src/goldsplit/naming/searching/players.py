"""What plays whole games: a loop of its own around a step. It is no step, whatever it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.naming.judging.inner_games import carried_out_by

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program
    from goldsplit.naming.steps import StepFunction


def plays(program: Program, step: StepFunction, others: list[StepFunction]) -> bool:
    """Whether a function has a loop of its own around another step: it plays, it is no step. A hub only hands
    actions on to its games; what carries out its own action by another one may try that elsewhere."""
    if step.is_hub:
        return False
    own = carried_out_by(program, step.function) if step.chosen_in and not step.function.loop_names else ()
    for other in others:
        if other is step or other.evidence < 2 or other.function in own:
            continue
        for caller, call in other.sites:
            inside = caller is step.function or caller in program.reached(step.function)
            apart = caller.kind is not other.function.kind or caller in other.chosen_in
            if inside and call.loops and apart:
                return True
    return False
