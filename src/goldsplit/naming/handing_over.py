"""Which objects and functions does a name hold? Followed through assignments, arguments and collections.

`self.systems.append(Gravity())` and `bus.subscribe("hit", self.on_hit)` are as good as an assignment: what
is taken out again (`for one in self.systems: one.tick()`, `handlers[kind](event)`) is what was put in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.naming.reading.code_facts import Assignment, Call, Class, Function, Value
from goldsplit.naming.reading.expressions import LOOKED_UP, PUTTING

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program

#: Assignments and calls are gone through until nothing new is learned, but not more often than this.
_ROUNDS = 7


def follow(program: Program) -> None:
    """Fill in what the names of a program hold."""
    known = -1
    for _ in range(_ROUNDS):
        program.forget_calls()
        for function in program.functions:
            for assignment in function.assignments:
                _learn(program, function, assignment)
        for function in program.functions:
            for call in function.calls:
                _hand_over(program, function, call)
                _put_in(program, function, call)
        before, known = known, sum(len(one) for one in program.types.values())
        known += sum(len(one) for one in program.handed.values())
        if known == before:
            break
    program.forget_calls()


def _learn(program: Program, function: Function, assignment: Assignment) -> None:
    if assignment.elements:
        for target, element in zip(assignment.targets, assignment.elements, strict=True):
            _add(program, function, target, *_held(program, function, element))
    elif len(assignment.targets) == 1 or assignment.direct is None:
        kinds, functions = _held(program, function, assignment.value)
        if not kinds and assignment.each and len(assignment.value.names) == 1:
            kinds = program.types_of(function, *assignment.value.names)  # `for key, brain in brains.items()`
        if not kinds and assignment.direct is not None and len(assignment.targets) == 1:
            kinds = _returned(program, function, assignment.direct)
        for target in assignment.targets:
            _add(program, function, target, kinds, functions)


def _returned(program: Program, function: Function, call: Call) -> set[Class]:
    """The classes of what a call of the user's functions gives."""
    makers = program.resolve(function, call)
    return {kind for one in makers for back in one.returns if back for kind in _kinds(program, one, back[0])}


def _held(program: Program, function: Function, value: Value) -> tuple[set[Class], set[Function]]:
    """The classes of what an expression gives, and the functions that it names (`{"hit": on_hit, …}`)."""
    functions: set[Function] = set()
    if not value.calls:
        functions = {one for name in value.names for one in program.functions_of(function, name)}
    for call in value.calls:
        if call.name.startswith(LOOKED_UP):
            functions |= set(program.looked_up(function, call))
    return _kinds(program, function, value), functions


def _kinds(program: Program, function: Function, value: Value) -> set[Class]:
    nested = {inner for call in value.calls for inner in call.inner}
    made = {kind for call in value.calls if call not in nested and (kind := program.is_class(function, call))}
    if made and not value.name:  # `{"me": me, "they": Bot()}`: also what is there by its name
        given = {name for call in value.calls for names in call.arguments for name in names}
        made = made.union(*(program.types_of(function, name) for name in sorted(value.names - given)))
    return made or program.types_of(function, value.name)


def _add(
    program: Program, function: Function, target: str, kinds: set[Class], functions: set[Function]
) -> None:
    """Remember what a name, or an attribute of a known object (`world.eyes = …`), holds."""
    if not target or not (kinds or functions):
        return
    owner, _, last = target.rpartition(".")
    places: list[object] = list(program.types_of(function, owner)) if owner else [function]
    for place in places:
        if kinds:
            program.types[place, last] |= kinds
        if functions:
            program.handed[place, last] |= functions


def _hand_over(program: Program, function: Function, call: Call) -> None:
    """What is given as an argument has its class (or is that function) inside the called one too."""
    targets = program.resolve(function, call)
    made = program.is_class(function, call)
    if made is not None and (init := program.method(made, "__init__")):
        targets = (*targets, init)
    for target in targets:
        plain = len(call.arguments) - len(call.keywords)
        for place in range(len(call.arguments)):
            keyword = call.keywords[place - plain] if place >= plain else ""
            parameter = keyword or (target.parameters[place] if place < len(target.parameters) else "")
            if parameter and parameter in target.parameters:
                kinds, functions = _given(program, function, call, place)
                program.types[target, parameter] |= kinds
                program.handed[target, parameter] |= functions


def _put_in(program: Program, function: Function, call: Call) -> None:
    """What is put into a collection can be taken out of it."""
    if call.name in PUTTING and call.receiver and not program.resolve(function, call):
        for place in range(len(call.arguments)):
            _add(program, function, call.receiver, *_given(program, function, call, place))


def _given(program: Program, function: Function, call: Call, place: int) -> tuple[set[Class], set[Function]]:
    """What one argument of a call is: objects of these classes, or these functions."""
    if call.made[place]:
        kind = program.class_named(function.file, call.made[place])
        if kind is not None:
            return {kind}, set()
        made = [one for one in call.inner if f"{one.receiver}.{one.name}".strip(".") == call.made[place]]
        return {kind for one in made for kind in _returned(program, function, one)}, set()
    if len(call.arguments[place]) != 1:
        return set(), set()
    (name,) = call.arguments[place]
    functions = program.functions_of(function, name) or program.methods_named(name)
    return program.types_of(function, name), set(functions)
