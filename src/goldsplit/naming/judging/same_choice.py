"""Where else a step is called: the training's own loop may ask nothing that tells a step, while the loop of a
test does (`while not game.over`). Both give it what the same function chose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.naming.flow import Flow
from goldsplit.naming.reading.code_facts import Call, Function

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program
    from goldsplit.naming.steps import StepFunction


def given_the_same_choice(program: Program, flow: Flow, step: StepFunction) -> list[tuple[Function, Call]]:
    """The other calls of a step, in loops, with a choice of a function that chooses where it is known."""

    def choosers(caller: Function, call: Call) -> set[Function]:
        given = frozenset().union(frozenset(), *call.arguments)
        sources = [(caller, one) for one in call.inner] + flow.sources(caller, given)
        return {one for at, source in sources for one in program.resolve(at, source)} - {step.function}

    known = {call for _, call in step.sites}
    chosen = set().union(*(choosers(*site) for site in step.sites if site[0] in step.chosen_in), set())
    return [
        (caller, call)
        for caller, call in program.callers.get(step.function, ())
        if chosen and call not in known and call.loops and choosers(caller, call) & chosen
    ]
