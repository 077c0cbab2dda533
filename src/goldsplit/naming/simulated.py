"""Moves that are only tried: a search makes them on copies of the game, and the real step makes them too.

They are rules of the game (`env.step`), but no steps of the training: only what the loop plays is counted.
"""

from __future__ import annotations

from goldsplit.naming.calls import Program
from goldsplit.naming.flow import Flow
from goldsplit.naming.judging.inner_games import carried_out_by
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.steps import LEAST_EVIDENCE, StepFunction

#: A choice is followed back through at most this many calls: `play(pick(search(game)))`.
_FARTHEST = 3


def simulated(
    program: Program, flow: Flow, judged: list[StepFunction], found: list[StepFunction]
) -> list[StepFunction]:
    """Of what looks like a step, those that a real one makes, and what gives that its action tries."""
    return [
        step
        for step in judged
        if step.evidence >= LEAST_EVIDENCE
        and any(
            other is not step
            and step.function in program.reached(other.function)
            and _is_tried(program, flow, step, other)
            for other in found
        )
    ]


def _is_tried(program: Program, flow: Flow, step: StepFunction, real: StepFunction) -> bool:
    """Whether a step is made by the real one, by what gives that its action, and in tests: nowhere else."""
    choosing = choosing_functions(program, flow, real)
    choosing |= {one for chosen in choosing for one in program.reached(chosen)}
    inside = {real.function, *program.reached(real.function)}
    callers = {caller for caller, _ in program.callers.get(step.function, ())} - inside
    return bool(callers & choosing) and all(
        caller in choosing or _is_in_test(program, caller, frozenset()) for caller in callers
    )


def leave_out_tries(program: Program, flow: Flow, step: StepFunction) -> None:
    """Forget the calls of a step inside what gives it its action, if there are others: the loops of a search
    go down a tree, they play nothing."""
    choosing = choosing_functions(program, flow, step)
    inside = choosing.union(*(program.reached(one) for one in choosing))
    played = [site for site in step.sites if site[0] not in inside]
    step.sites = played or step.sites


def of_a_search(program: Program, flow: Flow, step: StepFunction, found: list[StepFunction]) -> bool:
    """Whether what looks like a step goes down a tree, or plays games out: it is called only inside what
    gives another step its action and makes moves of that one to find it."""
    for real in found:
        if real is step:
            continue
        moves = {real.function, *carried_out_by(program, real.function)}
        trying = [
            one
            for one in choosing_functions(program, flow, real)
            if moves & program.reached(one) and one is not real.function
        ]
        inside = set(trying).union(*(program.reached(one) for one in trying))
        if step.sites and all(caller in inside for caller, _ in step.sites):
            return True
    return False


def choosing_functions(program: Program, flow: Flow, step: StepFunction) -> set[Function]:
    """What gives a step its action, and what gives that what it chooses by."""
    found: set[Function] = set()
    waiting: list[tuple[Function, Call, int]] = [(caller, call, 0) for caller, call in step.sites]
    while waiting:
        at, call, far = waiting.pop()
        given = frozenset().union(frozenset(), *call.arguments)
        for where, source in [*((at, one) for one in call.inner), *flow.sources(at, given)]:
            targets = set(program.resolve(where, source))
            if far < _FARTHEST and targets - found:
                found |= targets
                waiting.append((where, source, far + 1))
    return found


def _is_in_test(program: Program, function: Function, seen: frozenset[Function]) -> bool:
    """Whether a function is called only now and then, or by such ones alone."""
    sites = [site for site in program.callers.get(function, ()) if site[0] not in seen]
    return bool(sites) and all(
        call.now_and_then or _is_in_test(program, caller, seen | {function}) for caller, call in sites
    )
