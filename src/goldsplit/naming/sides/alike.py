"""A game with two sides of one kind: `self.me = Player(); self.host = Player()`.

The step carries out the action with one of them. What decides in a loop, changes only the other one and looks
at the first is the other side's turn, whatever it is called.
"""

from __future__ import annotations

from goldsplit.naming.decision import Decision
from goldsplit.naming.reading.code_facts import Function
from goldsplit.naming.reading.expressions import PUTTING

#: What else changes a collection, beside putting something in.
_TAKING_OUT = frozenset({"clear", "discard", "pop", "popleft", "remove", "sort", "update"})


def changes_other_side(d: Decision, function: Function) -> bool:
    """Whether a method without an action changes the side that the step leaves alone, and reads the other."""
    if function.kind is None or not function.loop_names or function.parameters:
        return False
    theirs = _changed(function)
    for step in sorted(d.stepping, key=lambda one: (one.file, one.first)):
        mine = _changed(step) if step.kind is function.kind else set()
        if len(mine) != 1 or len(theirs) != 1 or mine == theirs:
            continue
        kinds = [d.program.types_of(function, f"{function.self_name}.{name}") for name in (*mine, *theirs)]
        if kinds[0] and kinds[0] == kinds[1] and mine & _read(function):
            return True
    return False


def pieces_moved(d: Decision, step: Function) -> set[str]:
    """The attributes of a game whose parts a step changes by its action, and the collections that these are
    taken from: `active` and `mine` where the step moves `self.active`, and somewhere `self.active = one` in a
    loop over `self.mine`."""
    moved = _changed(step) if step.parameters and step.kind is not None else set()
    own = f"{step.self_name}."
    found = set(moved)
    for function in d.methods_beside(step) if moved else ():
        for one in function.assignments:
            if any(target.startswith(own) and target.removeprefix(own) in moved for target in one.targets):
                names = one.value.names | {
                    name
                    for loop in function.assignments
                    if loop.each and set(loop.targets) & one.value.names
                    for name in loop.value.names
                }
                found |= {
                    name.removeprefix(own) for name in names if name.startswith(own) and name.count(".") == 1
                }
    return found


def _changed(function: Function) -> set[str]:
    """The attributes of its own object whose parts a method changes, also by a short name for one."""
    written = [target for one in function.assignments for target in one.targets]
    written += [f"{call.receiver}." for call in function.calls if call.name in PUTTING | _TAKING_OUT]
    return {part for name in written for part in _part_of(function, name)}


def _read(function: Function) -> set[str]:
    """The attributes of its own object whose parts a method reads."""
    names = {name for one in function.assignments for name in one.value.names}
    names |= {name for call in function.calls for given in call.arguments for name in given}
    return {part for name in names for part in _part_of(function, name)}


def _part_of(function: Function, name: str) -> set[str]:
    """`host` of `self.host.gold`, and of `w.gold` after `w = self.host`; nothing for `self.round`."""
    first, _, rest = name.partition(".")
    if not rest:
        return set()
    own = f"{function.self_name}."
    if first == function.self_name:
        part, _, deeper = rest.partition(".")
        return {part} if deeper or name.endswith(".") else set()
    held = [one.value.name for one in function.assignments if one.targets == (first,)]
    return {one.removeprefix(own) for one in held if one.startswith(own) and one.count(".") == 1}
