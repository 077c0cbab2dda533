"""Games that are generators: who has made the one that a name holds?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.naming.reading.code_facts import Call, Class, Function

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program

#: A generator is followed through at most this many functions that it is handed to.
_FARTHEST = 3


Made = list[tuple[Function, Call]]


def generators_in(program: Program, function: Function, name: str, far: int = 0) -> Made:
    """The calls that have made what a name holds, each with where it is: in the function itself, in one that
    hands it on as an argument, or wherever the attribute of an object gets its value."""
    found = _made_in(function, name)
    owner, _, attribute = name.rpartition(".")
    if owner and not found:
        kinds = {base for kind in program.types_of(function, owner) for base in program.with_bases(kind)}
        for kind in sorted(kinds, key=lambda one: (one.file, one.name)):
            for method in kind.methods.values():
                found += _made_in(method, f"{method.self_name}.{attribute}")
    if found or name not in function.parameters or far >= _FARTHEST:
        return found
    place = function.parameters.index(name)
    for caller in program.functions:
        for call in caller.calls:
            given = call.arguments[place] if place < len(call.arguments) - len(call.keywords) else frozenset()
            if name in call.keywords:
                given = call.arguments[len(call.arguments) - len(call.keywords) + call.keywords.index(name)]
            if len(given) == 1 and caller is not function and function in program.meant(caller, call):
                found += generators_in(program, caller, next(iter(given)), far + 1)
    return found


def _made_in(function: Function, name: str) -> Made:
    made = [one.direct for one in function.assignments if name in one.targets]
    return [(function, call) for call in made if call is not None]


def only_makes(program: Program, function: Function, call: Call) -> bool:
    """Whether a call makes a generator: nothing runs yet, and what it gives is no choice."""
    meant = program.resolve(function, call)
    return not call.sent and bool(meant) and all(one.is_generator for one in meant)


def games_asked(program: Program, caller: Function, step: Call) -> set[str]:
    """The names of the game at a call of its step: its object; or whose generator it is given, as in `story =
    game.life(); answer(story, move)`."""
    given = frozenset().union(frozenset(), *step.arguments)
    made = [one.direct for one in caller.assignments if one.direct is not None and set(one.targets) & given]
    return {step.receiver, *(one.receiver for one in made if only_makes(program, caller, one))} - {""}


def games_of(program: Program, function: Function) -> set[Class]:
    """The classes whose objects are the game of a step: its own, or that of the generator which it goes on
    with (`def answer(story, move): return story.send(move)`)."""
    going_on = {one for call in function.calls if call.sent for one in program.resolve(function, call)}
    return {one.kind for one in (function, *going_on) if one.kind is not None}
