"""What moves the game's other pieces: guards that hunt, mobs that wander, an army that answers.

Inside a turn it goes through pieces of the game and gives each a new place; the agent's action does not reach
it, be it in its own lines or in a method that is given each piece (`for wolf in self.alive():
self.hunt(wolf)`). A word tells that they play against the agent, or that it chooses among places and looks at
what the action has moved.
"""

from __future__ import annotations

from goldsplit.naming.decision import Decision
from goldsplit.naming.flow import given_as
from goldsplit.naming.reading.code_facts import Assignment, Function
from goldsplit.naming.reading.comparing import keeps_best
from goldsplit.naming.sides.alike import changes_other_side, pieces_moved
from goldsplit.naming.vocabulary import means, parts_of, words_in

#: What picks one of several places.
_PICKING = words_in("argmax argmin choice choices sample shuffle")
#: These do with a measure (`key=`); without one they only keep a number within bounds.
_BEST = words_in("max min sorted")


def moves_others(d: Decision, function: Function) -> bool:
    """Whether a function moves pieces that the agent's action does not move."""
    if not _is_in_a_turn(d, function):
        return False
    if changes_other_side(d, function):
        return True
    by_itself, helped = pieces_changed(function), _moved_by_helpers(d, function)
    collections = by_itself.union(*(held for _, held in helped))
    if not collections:
        return False
    if len(parts_of(function.name)) == 1 and means(function.name, "opponent"):
        return True
    movers = [function] if by_itself else []
    movers += [one for one, _ in helped]
    if not any(_picks(one, again=one is not function) for one in movers):
        return False
    named = any(means(name.rpartition(".")[2], "opponent") for name in collections)
    return named or any(_looks_at_the_agent(d, one, collections) for one in movers)


def pieces_changed(function: Function) -> set[str]:
    """The collections of the game whose pieces a function goes through and changes: it writes attributes of
    each, or writes down a new list of them."""
    roots = {function.self_name} if function.self_name else set(function.parameters[:1])
    found = set()
    for loop in function.assignments:
        held = {name for name in loop.value.names if "." in name and name.partition(".")[0] in roots}
        if not loop.each or not held or any("#" in target for target in loop.targets):
            continue
        for one in function.assignments:
            inside = {
                target.partition(".")[0]
                for target in one.targets
                if "." in target or one.added or target not in one.whole
            }
            anew = (
                {target for target in one.targets if target in held} if not one.value.names & held else set()
            )
            if not one.each and (inside & set(loop.targets) or (anew and not one.added)):
                found |= anew or held
    return found


def _moved_by_helpers(d: Decision, function: Function) -> list[tuple[Function, set[str]]]:
    """The methods that a function gives each piece of a collection of its object, or its place, and that
    change it, each with these collections."""
    found = []
    for loop in function.assignments if function.self_name else ():
        held = _held(d, function, loop) if loop.each else set()
        for call in function.calls if held else ():
            own = call.receiver == function.self_name and call.loops
            for helper in d.program.resolve(function, call) if own else ():
                given = {
                    name for name in helper.parameters if given_as(helper, name, call) & set(loop.targets)
                }
                if helper.kind is function.kind and _changes(helper, given, held):
                    found.append((helper, held))
    return found


def _held(d: Decision, function: Function, loop: Assignment) -> set[str]:
    """The collections of a function's object that its loop goes through; also as a method gives them."""
    found = {name for name in loop.value.names if name.startswith(f"{function.self_name}.")}
    for call in loop.value.calls:
        for one in d.program.resolve(function, call) if call.receiver == function.self_name else ():
            names = {name for elements in one.returns for value in elements for name in value.names}
            found |= {name for name in names if one.self_name and name.startswith(f"{one.self_name}.")}
    return found


def _changes(helper: Function, given: set[str], held: set[str]) -> bool:
    """Whether a method writes into the piece that it is given, or a new one at the place that it is given."""
    return any(
        (target.partition(".")[0] in given and "." in target) or (target in held and one.key in given)
        for one in helper.assignments
        for target in one.targets
        if not one.each
    )


def _is_in_a_turn(d: Decision, function: Function) -> bool:
    """Whether a step calls a function, or the loop does beside one, and no action is given to it."""
    if function in d.stepping or function in d.loops or d.stepping & d.program.reached(function):
        return False
    sites = d.program.callers.get(function, [])
    loops = {caller for step in d.steps for caller, _ in step.sites}
    return any(caller in d.stepping | d.inside_env | loops for caller, _ in sites) and not function.parameters


def _picks(function: Function, again: bool) -> bool:
    """Whether a function chooses among places; `again`: it is called for each piece, and needs no loop."""
    drawn = any(
        (again or call.loops) and (call.name in _PICKING or (call.name in _BEST and "key" in call.keywords))
        for call in function.calls
    )
    return drawn or keeps_best(function.source)


def _looks_at_the_agent(d: Decision, function: Function, collections: set[str]) -> bool:
    """Whether a function reads what the step of its own object changes, beside the pieces that it moves."""
    own = f"{function.self_name}."
    read = {name for call in function.calls for names in call.arguments for name in names}
    read |= {name for one in function.assignments for name in one.value.names}
    read = {name.removeprefix(own) for name in read - collections if name.startswith(own)}
    if any(read & pieces_moved(d, step) for step in d.stepping if step.kind is function.kind is not None):
        return True
    return any(
        target.removeprefix(f"{step.self_name}.") in read
        for step in d.stepping
        if step.kind is function.kind is not None
        for one in step.assignments
        if one.value.names & _made_of(step)
        for target in one.targets
        if target.startswith(f"{step.self_name}.")
    )


def _made_of(step: Function) -> set[str]:
    """A step's parameters, and what it has made of them."""
    found = set(step.parameters)
    for _ in range(3):
        found |= {
            target
            for one in step.assignments
            if one.value.names & found
            for target in one.targets
            if "." not in target
        }
    return found
