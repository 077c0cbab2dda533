"""A choice among moves that the game has listed, made in another function: what lists them is the mask.

`after = imagine(game)`, `move = best(net, after)`, `game.play(move)`: the move is one of the keys of `after`,
and these are what `game.options()` gave, inside `imagine`. Followed is only what is one of something; what
was computed (`argmax(net(seen))`) is nobody's element.
"""

from __future__ import annotations

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ENV_MASK
from goldsplit.naming.decision import Decision
from goldsplit.naming.flow import element_for, given_as
from goldsplit.naming.reading.code_facts import Assignment, Call, Function
from goldsplit.naming.vocabulary import words_in

#: What gives some of the elements that it is given, or all of them.
_KEEPING = words_in("choice choices items keys list max min reversed sample sorted tuple zip")
#: A move is followed through at most this many assignments and calls.
_FARTHEST = 12

Place = tuple[Function, str, tuple[tuple[Function, Call], ...]]
"""A function, a name in it, and by which calls it was come there."""


def listed_moves(d: Decision) -> None:
    """Name what lists the moves of which a step gets one; only where it is called, if steps call it too."""
    for step in d.steps:
        for caller, call in step.sites:
            if caller in d.stepping or caller in d.inside_env:
                continue
            result = {name for one in caller.assignments if one.direct is call for name in one.targets}
            for names in call.arguments:
                followed = names if len(names) == 1 or names in call.picked else frozenset()
                for name in sorted(followed - result):
                    for at, source, function in _origins(d, caller, name):
                        _name(d, at, source, function)


def _name(d: Decision, at: Function, source: Call, function: Function) -> None:
    if function.kind not in d.env_classes or function in d.stepping or not function.returns:
        return
    reason = "the step gets one of those that it lists"
    if function not in d.inside_env:
        d.name(function, ENV_MASK, reason)
    elif d.stage_of(at) and function not in d.stages:
        lines = [one for one in (*at.body, *at.statements) if one.first <= source.line <= one.last]
        for one in [one for one in lines if not one.is_long][:1]:
            d.lines.append(
                NamedFunction(at.file, at.qualname, one.first, one.last, ENV_MASK, reason, own_counters=())
            )


def _origins(d: Decision, caller: Function, name: str) -> list[tuple[Function, Call, Function]]:
    """The calls of the game's methods in whose results a name was an element, through at least one other
    function: what a loop does with them itself is seen there."""
    found: list[tuple[Function, Call, Function]] = []
    waiting: list[tuple[Place, int, bool]] = [((caller, name, ()), 0, False)]
    seen: set[tuple[Function, str]] = set()
    while waiting:
        (where, name, by), far, inside = waiting.pop()
        if (where, name) in seen or far > _FARTHEST:
            continue
        seen.add((where, name))
        if name in where.parameters and by:
            (outer, call), *rest = by
            names = given_as(where, name, call)
            waiting += [((outer, one, tuple(rest)), far + 1, inside) for one in names if len(names) == 1]
        for one in where.assignments:
            if name not in one.targets:
                continue
            made = d.program.resolve(where, one.direct) if one.direct is not None and not one.key else ()
            if one.direct is not None and any(function.kind in d.env_classes for function in made):
                found += [(where, one.direct, function) for function in made if inside]
            elif one.direct is not None and made:
                for function in made:
                    into = ((where, one.direct), *by)
                    backs = _given_back(function, one, name)
                    waiting += [((function, back, into), far + 1, True) for back in backs]
            else:
                waiting += [((where, part, by), far + 1, inside) for part in _elements_of(where, one, name)]
    return found


def _given_back(function: Function, assignment: Assignment, name: str) -> list[str]:
    """The names that a function returns at the place of a target."""
    place = assignment.targets.index(name) if assignment.unpacked else 0
    many = len(assignment.targets) if assignment.unpacked else 1
    return [back[place].name for back in function.returns if len(back) == many and back[place].name]


def _elements_of(where: Function, assignment: Assignment, name: str) -> list[str]:
    """The names of which a name gets an element by an assignment, or all of them under another name."""
    if assignment.key:
        return [assignment.key]
    value = element_for(assignment, name)
    if value.name:
        return [value.name]
    own = {*where.parameters, *(target for one in where.assignments for target in one.targets)}
    kept = bool(value.calls) and all(call.name in _KEEPING for call in value.calls)
    names = value.names & own
    return list(names) if kept and len(names) == 1 else []
