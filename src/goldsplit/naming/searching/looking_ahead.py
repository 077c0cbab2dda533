"""A search whose answer is only what the choice is made by: `visits = think(board)`, `move = pick(visits)`.

Where states are values, the search makes its moves by the very function that is the real step.
"""

from __future__ import annotations

from goldsplit.naming.decision import Decision, asks_network
from goldsplit.naming.reading.code_facts import Call, Function


def tries_moves(d: Decision, function: Function, where: Function, call: Call) -> bool:
    """Whether a call asks for more than what is seen: moves are made inside it, on states that are values,
    and it gives none of the states that go round in its loop (then it is somebody's turn)."""
    reached = d.program.reached(function)
    if not d.threading & reached:
        return False
    gives = {target for one in where.assignments if one.direct is call for target in one.targets}
    if gives & _states(d, where):
        return False
    inside = (function, *reached)
    deep = any(
        target in d.threading and len(one.loops) > 1
        for at in inside
        for one in at.calls
        for target in d.program.resolve(at, one)
    )
    again = any(one in d.program.reached(one) and d.threading & d.program.reached(one) for one in inside)
    return deep or again or any(asks_network(d, one) for one in inside)


def _states(d: Decision, where: Function) -> set[str]:
    """The names that steps in a function are given, and that they give anew."""
    found: set[str] = set()
    for step in d.steps:
        for caller, call in step.sites:
            given = frozenset().union(frozenset(), *call.arguments)
            for one in where.assignments if caller is where else ():
                found |= given & set(one.targets) if one.direct is call else set()
    return found
