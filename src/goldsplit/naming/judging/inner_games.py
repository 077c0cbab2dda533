"""Fights, ticks and simulations inside a game: their loops look like loops that play.

`foe = pick(foes); dead = hit(foe)`, `if dead: break` inside a fight is no step, if the fight is only fought
by methods of a game whose own step is given a choice that was made by looking at that game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.naming.flow import Flow, given_as
from goldsplit.naming.judging.generators import games_of
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.searching.next_states import leading_to

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program
    from goldsplit.naming.steps import StepFunction

#: How deep a step's action is followed into what it calls.
_FARTHEST = 4


def without_inner(program: Program, flow: Flow, found: list[StepFunction]) -> list[StepFunction]:
    """The same without those that lie inside the game of another one."""
    looking = {id(one): _looking(program, flow, one) for one in found}
    holding = [one for one in found if looking[id(one)]]
    return [
        step
        for step in found
        if looking[id(step)]
        or not any(_is_inside(program, step, one, looking[id(one)]) for one in holding if one is not step)
    ]


def _looking(program: Program, flow: Flow, step: StepFunction) -> set[Function]:
    """What chooses for a step by looking at its game: it is given the game, what a method of the game gave,
    or what the step gave the last time."""
    found: set[Function] = set()
    for caller, call in step.sites:
        given = frozenset().union(frozenset(), *call.arguments)
        for at, source in [*((caller, one) for one in call.inner), *flow.sources(caller, given)]:
            if at is caller and call.loops and source.loops and _is_shown(caller, call, source):
                found |= {one for one in program.resolve(at, source) if _is_apart(one, step.function)}
    return found


def _is_apart(chooser: Function, step: Function) -> bool:
    return chooser is not step and (chooser.kind is None or chooser.kind is not step.kind)


def _is_shown(caller: Function, step: Call, choice: Call) -> bool:
    """Whether what chooses is given something of the game."""
    if not step.receiver:
        return False
    shown = leading_to(caller, frozenset().union(frozenset(), *choice.arguments))
    if step.receiver in shown or any(name.startswith(f"{step.receiver}.") for name in shown):
        return True
    asked = [one for one in caller.calls if one.receiver == step.receiver]
    made = {name for one in caller.assignments if set(one.value.calls) & set(asked) for name in one.targets}
    return bool(made & shown) or bool(set(asked) & set(choice.inner))


def _is_inside(program: Program, step: StepFunction, other: StepFunction, choosing: set[Function]) -> bool:
    """Whether all loops around a step run only because the game of the other one is told or asked something,
    or because something chooses for that; and it is not given the other's action."""
    kinds = {base for kind in games_of(program, other.function) for base in program.with_bases(kind)}
    entries = {method for kind in kinds for method in kind.methods.values()} | {other.function} | choosing
    callers = {caller for caller, _ in step.sites}
    playing = {caller for caller, _ in other.sites}
    return (
        bool(callers)
        and step.function not in entries
        and all(_is_within(program, caller, entries, frozenset()) for caller in callers)
        and not any(_is_within(program, caller, entries, frozenset()) for caller in playing)
        and not _gets_action(program, other.function, step.function)
    )


def _is_within(
    program: Program, function: Function, entries: set[Function], seen: frozenset[Function]
) -> bool:
    """Whether a function is one of these, or is called by nothing else."""
    if function in entries:
        return True
    callers = {caller for caller, _ in program.callers.get(function, ())} - seen - {function}
    if function in program.passed or not callers:
        return False
    return all(_is_within(program, caller, entries, seen | {function}) for caller in callers)


def _gets_action(program: Program, outer: Function, inner: Function) -> bool:
    """Whether a step hands its action on to another one: then it is a wrapper of that."""
    seen: set[tuple[Function, str]] = set()
    waiting = [(outer, name, 0) for name in outer.parameters]
    while waiting:
        where, name, far = waiting.pop()
        if (where, name) in seen or far > _FARTHEST:
            continue
        seen.add((where, name))
        held = made_of(where, name)
        for call in where.calls:
            for target in program.resolve(where, call):
                given = [one for one in target.parameters if given_as(target, one, call) & held]
                if given and target is inner:
                    return True
                waiting += [(target, one, far + 1) for one in given]
    return False


def carried_out_by(program: Program, step: Function) -> set[Function]:
    """What a step itself gives its action to, once: the rules that carry it out."""
    held = set().union(*(made_of(step, one) for one in step.parameters))
    return {
        target
        for call in step.calls
        if not call.loops
        for target in program.resolve(step, call)
        if any(given_as(target, one, call) & held for one in target.parameters)
    }


def made_of(function: Function, name: str) -> set[str]:
    """A parameter, and the local names that hold what was made of it."""
    found = {name}
    for _ in range(3):
        found |= {
            target
            for one in function.assignments
            if one.value.names & found
            for target in one.targets
            if "." not in target
        }
    return found
