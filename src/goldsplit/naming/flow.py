"""Where values come from, inside one function and through its object's attributes."""

from __future__ import annotations

from collections import defaultdict

from goldsplit.naming.calls import Program
from goldsplit.naming.code_facts import Assignment, Call, Function, Value

#: A value is followed through at most this many assignments.
_FARTHEST = 5


class Flow:
    """Follows names back to the calls that gave them their values."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._attributes: dict[tuple[str, str], list[tuple[Function, Assignment]]] = defaultdict(list)
        self._local: dict[tuple[Function, str], list[Assignment]] = defaultdict(list)
        for function in program.functions:
            for assignment in function.assignments:
                for target in filter(None, assignment.targets):
                    self._local[function, target].append(assignment)
                    attribute = own_attribute(function, target)
                    if attribute:
                        self._attributes[function.owner, attribute].append((function, assignment))

    def sources(
        self, function: Function, names: frozenset[str], farthest: int = _FARTHEST, into_callers: bool = False
    ) -> list[tuple[Function, Call]]:
        """The calls of the user's functions whose results these names hold, each with where it is; a value is
        followed to the first such call only, and to what callers give as a parameter if that is wanted."""
        found: dict[Call, Function] = {}
        seen: set[tuple[Function, str]] = set()
        waiting = [(function, name, 0) for name in names]
        while waiting:
            where, name, far = waiting.pop()
            if (where, name) in seen or far > farthest:
                continue
            seen.add((where, name))
            for at, assignment in self._assignments(where, name):
                value = element_for(assignment, name)
                users = [call for call in value.calls if self.program.resolve(at, call)]
                inner = {nested for call in users for nested in call.inner}
                for call in users:
                    if call not in inner:
                        found[call] = at
                if not users:
                    waiting += [(at, one, far + 1) for one in value.names]
            if into_callers and name in where.parameters:
                for caller, call in self.program.callers.get(where, ()):
                    waiting += [(caller, one, far + 1) for one in given_as(where, name, call)]
        return [(at, call) for call, at in found.items()]

    def _assignments(self, function: Function, name: str) -> list[tuple[Function, Assignment]]:
        attribute = own_attribute(function, name)
        if attribute:
            return self._attributes[function.owner, attribute]
        return [(function, assignment) for assignment in self._local[function, name]]


def given_as(function: Function, parameter: str, call: Call) -> frozenset[str]:
    """The names that a call gives as one of the function's parameters."""
    plain = len(call.arguments) - len(call.keywords)
    if parameter in call.keywords:
        return call.arguments[plain + call.keywords.index(parameter)]
    place = function.parameters.index(parameter)
    return call.arguments[place] if place < plain else frozenset()


def own_attribute(function: Function, name: str) -> str:
    """`x` of `self.x` in a method; "" for anything else."""
    first, _, rest = name.partition(".")
    return rest if function.self_name and first == function.self_name and "." not in rest else ""


def element_for(assignment: Assignment, name: str) -> Value:
    """The part of an assignment's value that this name gets."""
    if assignment.elements and name in assignment.targets:
        return assignment.elements[assignment.targets.index(name)]
    return assignment.value
