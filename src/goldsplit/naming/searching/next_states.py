"""A state that goes round: `board, who = rules.after(board, who, move)`, until the rules call it ended.

Such a step tells no reward and no end. What shows it is that the loop asks about the state when to leave,
and that the move was chosen by looking at it: `weights, loss = update(weights, batch)` is no move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.naming.reading.code_facts import Assignment, Call, Function

if TYPE_CHECKING:
    from goldsplit.naming.flow import Flow

#: A value is followed through at most this many assignments.
_FARTHEST = 5


def goes_round(caller: Function, call: Call, assignment: Assignment) -> bool:
    """Whether a call gives the next state of what it is given, in a loop that ends as the state tells."""
    given = frozenset().union(frozenset(), *call.arguments)
    states = given & (set(assignment.targets) | _named_anew(caller, assignment))
    if not states or not call.loops:
        return False
    looked_at = leading_to(caller, given - states)
    looked_at |= {name for inner in call.inner for names in inner.arguments for name in names}
    return bool(states & _deciding(caller, call)) and bool(states & looked_at)


def asks_rules(caller: Function, call: Call) -> bool:
    """Whether a call asks an object about a state that the object itself gave before, as a value: the game is
    in that state, and the object has only its rules."""
    given = frozenset().union(frozenset(), *call.arguments)
    return any(
        set(one.targets) & given
        for one in caller.assignments
        if one.direct is not None and one.direct.receiver == call.receiver != ""
    )


def chosen_apart(flow: Flow, caller: Function, call: Call, assignment: Assignment | None) -> bool:
    """Whether a call is given what another object made, or another function that stands alone as it does:
    beside the state that goes round, which the rules made themselves."""
    states = set(assignment.targets) if assignment is not None else set()
    given = frozenset().union(frozenset(), *call.arguments) - states
    own = flow.program.resolve(caller, call)
    kinds = {one.kind for one in own if one.kind is not None or not states}
    sources = [(caller, inner) for inner in call.inner] + flow.sources(caller, given)
    made = {one for at, source in sources for one in flow.program.resolve(at, source)}
    return any(one.kind not in kinds for one in made.difference(own))


def leading_to(caller: Function, names: frozenset[str]) -> set[str]:
    """These names, and those that they are made of, in one function."""
    found = set(names)
    for _ in range(_FARTHEST):
        found |= {name for one in caller.assignments if set(one.targets) & found for name in one.value.names}
    return found


def _named_anew(caller: Function, assignment: Assignment) -> set[str]:
    """The names that parts of a result are given to afterwards: `board, who = after, other`."""
    return {
        target
        for one in caller.assignments
        for target, value in zip(one.targets, one.elements or (one.value,), strict=False)
        if value.name and value.name in assignment.targets and one is not assignment
    }


def _deciding(caller: Function, call: Call) -> set[str]:
    """The names that decide when a loop around a call ends, also by what a question about them gave:
    `result = rules.ended(board)`, `if result != 0: break`."""
    asked = {
        name
        for loop in call.loops
        for name in caller.loop_names[loop] | caller.leaving.get(loop, frozenset())
    }
    told = [one for one in caller.assignments if one.value.calls and set(one.targets) & asked]
    return asked.union(*(one.value.names for one in told if one.direct is not call))
