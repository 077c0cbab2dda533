"""Who moves against the agent, inside the game: told by a word, or by what is done with a choice."""

from __future__ import annotations

from pathlib import PurePath

from goldsplit.model.named_code import BY_PURPOSE
from goldsplit.model.stage import ACT, ACT_SEARCH, ENV_OPPONENT, ENV_RESET
from goldsplit.naming.acting import in_same_loop
from goldsplit.naming.decision import Decision
from goldsplit.naming.flow import given_as
from goldsplit.naming.reading.code_facts import Call, Class, Function
from goldsplit.naming.sides.movers import moves_others
from goldsplit.naming.steps import StepFunction
from goldsplit.naming.vocabulary import means, parts_of, words_in

#: How deep the agent's action is followed into what a step calls.
_FARTHEST = 3
#: What is made, counted or asked for is not moved.
_MAKING = words_in(
    """
    add build count create find get has init is kill load make nearest place put remove set setze spawn
    """
)
#: Words beside *turn* that do not say whose turn it is.
_NOBODYS = words_in(
    """
    a advance and begin can carry count do each end finish first for handle in is last make my next of one our
    out over own pass per perform play player process reset resolve run skip start take the turn turns update
    """
)


def other_sides_choices(d: Decision, inside: set[Function]) -> None:
    """Name what chooses for the other side: it makes what the same function carries out that carries out the
    agent's action; or it is called as the agent's own choice is."""
    for function in _turns_of_others(d, inside):
        d.name(
            function, ENV_OPPONENT, "it carries out moves of its own in the game, as a step does the agent's"
        )
    for function in _chosen_beside_the_action(d, inside):
        d.name(function, ENV_OPPONENT, "what it chooses is carried out as the agent's action is")
    acting = {one for one, (stage, _) in d.stages.items() if stage in (ACT, ACT_SEARCH, BY_PURPOSE)}
    names = {one.name for one in acting}
    passing = _made_in_turns(d, inside)
    for function in inside - acting:
        outside_the_game = function.kind is not None and function.kind not in {*d.env_classes, *passing}
        if outside_the_game and function.name in names and function.returns:
            d.name(function, ENV_OPPONENT, "the agent's choice has the same name; the game calls this one")
        elif outside_the_game and _decides(function):
            d.name(function, ENV_OPPONENT, "it chooses among several things, and the game calls it")


def _made_in_turns(d: Decision, inside: set[Function]) -> set[Class]:
    """Classes whose objects are made while a turn is carried out (customers, shots): no player is."""
    beginning = {one for one, (stage, _) in d.stages.items() if stage == ENV_RESET}
    beginning |= {inner for one in beginning for inner in d.program.reached(one)}
    return {
        kind
        for one in (inside | d.stepping) - beginning
        if one.name != "__init__"
        for call in one.calls
        if (kind := d.program.is_class(one, call)) is not None
    }


def _turns_of_others(d: Decision, inside: set[Function]) -> list[Function]:
    """Methods of another class than the game's that the game calls, and that carry out moves in the game."""
    carrying = {function for step in d.steps for function, _ in carrying_out(d, step)}
    movers = {
        caller.kind
        for function in carrying
        for caller, _ in d.program.callers.get(function, ())
        if caller in inside and caller not in carrying
    }
    movers -= {None, *d.env_classes}
    found = []
    for function in inside:
        sites = d.program.callers.get(function, ())
        from_game = any(caller.kind is not function.kind for caller, _ in sites)
        moves = carrying & {function, *d.program.reached(function)}
        if function.kind in movers and from_game and moves and function not in carrying:
            found.append(function)
    return found


def _is_turn_of_another(function: Function) -> bool:
    """`goblins_turn`, `red_turn`: a turn of somebody, which is given no action."""
    parts = parts_of(function.name)
    named = parts[-1:] in (("turn",), ("turns",)) and bool(set(parts) - _NOBODYS)
    return named and not function.parameters


def _decides(function: Function) -> bool:
    """Whether a function is named like a choice, is shown something, and goes through what there is."""
    shown = bool(function.parameters) and bool(function.returns) and bool(function.loop_names)
    return shown and means(function.name, "choose")


def _chosen_beside_the_action(d: Decision, inside: set[Function]) -> list[Function]:
    found: dict[Function, None] = {}
    for step in d.steps:
        for function, parameter in carrying_out(d, step):
            for caller, call in d.program.callers.get(function, ()):
                if caller in inside | d.stepping and caller is not function:
                    for at, source in _sources_of(d, function, parameter, caller, call):
                        found |= dict.fromkeys(d.program.resolve(at, source))
                if caller in d.stepping or caller is step.function:
                    found |= dict.fromkeys(_tried_beside(d, function, parameter, caller, call))
    return [one for one in found if one in inside and _considers(d, one)]


def _sources_of(
    d: Decision, function: Function, parameter: str, caller: Function, call: Call
) -> list[tuple[Function, Call]]:
    """What gives a parameter its value as it is; not a list that is gone through to try each of it."""
    sources = d.flow.sources(caller, given_as(function, parameter, call))
    sources += [(caller, one) for one in _given_directly(function, parameter, call)]
    return [one for one in sources if not _is_gone_through(*one)]


def _is_gone_through(caller: Function, call: Call) -> bool:
    held = {name for one in caller.assignments if one.direct is call for name in one.targets}
    return any(one.each and (call in one.value.calls or one.value.names & held) for one in caller.assignments)


def _tried_beside(
    d: Decision, function: Function, parameter: str, caller: Function, call: Call
) -> list[Function]:
    """What chooses another argument of the call that carries out the agent's action: it tries moves by that
    same function first, or a word says that it chooses."""
    beside = [one for one in function.parameters if one != parameter]
    return [
        chooser
        for other in beside
        for at, source in _sources_of(d, function, other, caller, call)
        for chooser in d.program.resolve(at, source)
        if function in d.program.reached(chooser) or means(chooser.name, "choose")
    ]


def _actions_of(d: Decision, step: StepFunction) -> list[str]:
    """The parameters of a step that hold a choice; not those with the game's own state."""
    if not step.sites:
        return list(step.function.parameters)
    found = []
    for parameter in step.function.parameters:
        for caller, call in step.sites:
            names = given_as(step.function, parameter, call)
            sources = [one for one in d.flow.sources(caller, names) if in_same_loop(caller, call, *one)]
            states = {name for one in caller.assignments if one.direct is call for name in one.targets}
            made = bool(_given_directly(step.function, parameter, call))
            if (sources or d.flow.is_drawn(caller, names) or made) and not names & states:
                found.append(parameter)
                break
    return found or list(step.function.parameters[-1:])


def _given_directly(function: Function, parameter: str, call: Call) -> tuple[Call, ...]:
    """The calls inside a call's arguments, where one of them gives this parameter."""
    place = function.parameters.index(parameter)
    return call.inner if place < len(call.made) and call.made[place] else ()


def _considers(d: Decision, function: Function) -> bool:
    """Whether a function looks at what there is before it answers, not only draws a number."""
    looks = bool(function.loop_names) or d.calls_own(function) or bool(d.program.passed_by(function))
    return bool(function.returns) and looks


def carrying_out(d: Decision, step: StepFunction) -> list[tuple[Function, str]]:
    """The functions that a step gives its action to, each with the parameter that it is there."""
    found: dict[tuple[Function, str], None] = {}
    waiting = [(step.function, name, 0) for name in _actions_of(d, step)]
    while waiting:
        where, name, far = waiting.pop()
        for call in where.calls:
            for target in d.program.resolve(where, call):
                for parameter in target.parameters:
                    key = (target, parameter)
                    if given_as(target, parameter, call) == {name} and key not in found:
                        found[key] = None
                        if far < _FARTHEST:
                            waiting.append((*key, far + 1))
    return list(found)


def module_of(function: Function) -> str:
    """The name of the file that a function is in: for plain functions what a class is for methods."""
    return PurePath(function.file).stem


def is_opponent(d: Decision, function: Function) -> bool:
    """Whether a function is the other side's move: of a class, on an object, or with a name that say
    so."""
    if not means(function.owner, "opponent") and set(parts_of(function.name)) & _MAKING:
        return False
    if _is_turn_of_another(function):
        return True
    compound = len(parts_of(function.name)) > 1 or means(function.name, "step")  # `feindzug`
    if means(function.name, "opponent") and compound:
        return any(means(function.name, word) for word in ("step", "choose", "learn")) or not function.returns
    sites = d.program.callers.get(function, [])
    for caller, call in sites:  # `d.guards = patrol(…)` in a step
        given = frozenset().union(frozenset(), *call.arguments)
        names = [one.targets[0] for one in caller.assignments if call in one.value.calls and not one.unpacked]
        moved = [name.rpartition(".")[2] for name in names if name in given or "." in name]
        if caller in d.stepping and any(means(name, "opponent") for name in moved):
            return True
    if moves_others(d, function):
        return True
    sites = [site for site in sites if site[0].kind is not function.kind]
    if function.owner and means(function.owner, "opponent"):
        return bool(sites)
    if means(module_of(function), "opponent"):  # `from enemy import take_turn`
        return any(caller.file != function.file for caller, _ in sites)
    return any(
        means(call.receiver.rpartition(".")[2], "opponent") and not function.returns
        for _, call in sites
        if call.receiver
    )
