"""A state that goes round: `board, who = rules.after(board, who, move)`, until the rules call it ended.

Such a step tells no reward and no end. What shows it is that the loop asks about the state when to leave, and
that the move was chosen by looking at it: what trains (`weights, loss = update(weights, batch)`) does neither.
"""

from __future__ import annotations

from goldsplit.naming.reading.code_facts import Assignment, Call, Function

#: A value is followed through at most this many assignments.
_FARTHEST = 5


def goes_round(caller: Function, call: Call, assignment: Assignment) -> bool:
    """Whether a call gives the next state of what it is given, in a loop that ends as the state tells."""
    given = frozenset().union(frozenset(), *call.arguments)
    states = given & (set(assignment.targets) | _named_anew(caller, assignment))
    if not states or not call.loops:
        return False
    return bool(states & _deciding(caller, call)) and bool(states & leading_to(caller, given - states))


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
