"""Weights that are no object's: arrays, lists or dictionaries that are handed from function to function.

`fit(net, rows)` with `net["w"] += …` learns, because `choose(net, view)` reads the same `net`, and the game
is not given it: what the rules work with is the state of a game.
"""

from __future__ import annotations

from goldsplit.model.named_code import BY_PURPOSE
from goldsplit.model.stage import ACT, ACT_SEARCH, ACT_VALUE, ENV, LEARN_LOSS
from goldsplit.naming.decision import Decision
from goldsplit.naming.flow import given_as
from goldsplit.naming.judging.worth import is_told_worth
from goldsplit.naming.reading.code_facts import MODULE, Function

Held = tuple[object, str]
"""A function (a class, a file) and a name in it: one collection of numbers."""

_READING = (ACT, ACT_SEARCH, ACT_VALUE, BY_PURPOSE)


def name_changing_plain_weights(d: Decision) -> None:
    """Name the plain functions that change the numbers which acting is given, and the game is not."""
    acting = [one for one, (stage, _) in d.stages.items() if stage in _READING]
    game = [one for one, (stage, _) in d.stages.items() if stage.startswith(ENV)]
    of_game = _above(d, {held for one in (*game, *d.inside_env) for held in _read(one)})
    kept = {held for one in (*acting, *d.inside_acting) for held in _changed(one)}  # its own notes
    used = _above(d, {held for one in (*acting, *d.inside_acting) for held in _read(one)} - kept)
    for function in d.functions:
        if function.kind is not None or not function.parameters or not d.may_learn(function):
            continue
        own = _changed(function)
        changed = _above(d, own)
        weights = len({name for at, name in own if at is function})
        in_play = [
            (caller, call)
            for caller, call in d.program.callers.get(function, ())
            if any(
                where is caller and one.loops == call.loops for step in d.steps for where, one in step.sites
            )
        ]
        told = not in_play or any(is_told_worth(d, *site, weights) for site in in_play)
        if told and changed & used - of_game and d.program.is_repeated(function):
            d.name(function, LEARN_LOSS, "it changes the numbers that acting is given, and the game is not")
            d.taught.add(function)


def _read(function: Function) -> set[Held]:
    """What a function reads of what it is given, or of its module."""
    values = [one.value for one in function.assignments]
    values += [value for elements in function.returns for value in elements]
    names = {name for value in values for name in value.names}
    names |= {name for call in function.calls for given in call.arguments for name in given}
    names |= {call.receiver for call in function.calls if call.receiver}
    return {held for name in names if (held := _place(function, name)) is not None}


def _changed(function: Function) -> set[Held]:
    """What a function adds to, of what it is given or of its module; also by another name, as arrays are:
    `w, b = net`, `w += …`."""
    found: set[Held] = set()
    for one in function.assignments:
        for target in one.targets if one.added or one.key else ():
            names = {target, *_parts_of(function, target)}
            found |= {held for name in names if (held := _place(function, name)) is not None}
    return found


def _parts_of(function: Function, name: str) -> set[str]:
    """What a name is a part of: it was unpacked, or a loop goes through it."""
    return {
        whole
        for one in function.assignments
        if name in one.targets and (one.unpacked or one.each) and not one.value.calls
        for whole in one.value.names
    }


def _place(function: Function, name: str) -> Held | None:
    """What a name in a function stands for: a parameter, or something of the module; not its own variable."""
    root = name.partition(".")[0]
    if root in function.parameters:
        return function, root
    local = any(root in one.targets and not (one.added or one.key) for one in function.assignments)
    return None if local or not root or root == function.self_name else (function.file, root)


def _above(d: Decision, found: set[Held]) -> set[Held]:
    """These, and what callers know them by."""
    found = set(found)
    waiting = list(found)
    while waiting:
        function, name = waiting.pop()
        if not isinstance(function, Function) or name not in function.parameters:
            continue
        for caller, call in d.program.callers.get(function, ()):
            held = _given(caller, given_as(function, name, call))
            if held is not None and held not in found:
                found.add(held)
                waiting.append(held)
    return found


def _given(caller: Function, names: frozenset[str]) -> Held | None:
    """What a caller hands on, if it is one thing."""
    if len(names) != 1:
        return None
    (name,) = names
    if caller.self_name and name.startswith(f"{caller.self_name}."):
        return caller.kind, name
    at = caller.file if caller.qualname == MODULE else caller
    return at, name.partition(".")[0]
