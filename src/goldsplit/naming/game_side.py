"""Inside the game: what a step calls, and what a search asks the game for."""

from __future__ import annotations

from goldsplit.model.stage import (
    ACT,
    ACT_SEARCH,
    ENV,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RENDER,
    ENV_RESET,
    ENV_REWARD,
    ENV_STEP,
)
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.code_facts import Call, Function
from goldsplit.naming.decision import Decision
from goldsplit.naming.vocabulary import means, parts_of


def inside_steps(d: Decision) -> None:
    """What a step or a reset calls: observation, mask and reward by what they return, the opponent by
    name."""
    outer = [one for one, (stage, _) in d.stages.items() if stage in (ENV_STEP, ENV_RESET)]
    for function in outer:
        for elements in function.returns:
            for place, value in enumerate(elements):
                _name_returned(d, function, place, len(elements), value.names, value.calls)
    inside = d.inside_env | {one for function in outer for one in d.program.reached(function)}
    for function in sorted(inside - d.stepping, key=lambda one: (one.file, one.first)):
        _name_inside(d, function)


def _name_returned(
    d: Decision, function: Function, place: int, many: int, names: frozenset[str], calls: tuple[Call, ...]
) -> None:
    sources = [(function, call) for call in calls]
    sources += d.flow.sources(function, names, farthest=1)
    targets = {one: None for where, call in sources for one in d.program.resolve(where, call)}
    added = {
        one
        for beside in (function, *d.methods_beside(function))
        for assignment in beside.assignments
        if assignment.added
        for call in assignment.value.calls
        for one in d.program.resolve(beside, call)
    }
    for target in targets:
        if target in d.stepping or target in d.stages or is_opponent(d, target):
            continue
        is_reward = any(means(name, "reward") for name in names) and _is_for_steps(d, target)
        if means(target.name, "reward") or is_reward:
            d.name(target, ENV_REWARD, "a step returns its result as the reward")
        elif means(target.name, "mask") or any(means(name, "mask") for name in names):
            d.name(target, ENV_MASK, "a step returns its result as the mask")
        elif _returns_sight(d, function, place, many, names) and target.returns and target not in added:
            d.name(target, ENV_OBSERVE, "a step returns its result as the observation")


def _is_for_steps(d: Decision, function: Function) -> bool:
    """Whether only steps and resets call a function."""
    callers = {caller for caller, _ in d.program.callers.get(function, ())}
    return all(d.stage_of(caller) in (ENV_STEP, ENV_RESET) for caller in callers)


def _returns_sight(d: Decision, function: Function, place: int, many: int, names: frozenset[str]) -> bool:
    """Whether this place of what a step or a reset returns is the observation's, not the next state."""
    if any(means(name, "done") for name in names) or function in d.threading:
        return False
    return (place == 0 and many >= 2) or (many == 1 and d.stages[function][0] == ENV_RESET)


def _name_inside(d: Decision, function: Function) -> None:
    usual = stage_of_function(function.name)
    if function in d.stages:
        return
    if is_opponent(d, function) or usual in (ACT, ENV_OPPONENT):
        d.name(function, ENV_OPPONENT, "a word in its name or class; a step calls it")
    elif usual is not None and usual.startswith(ENV) and usual not in (ENV_STEP, ENV_RESET):
        d.name(function, usual, "its name")
    elif means(function.name, "reward") and function.returns:
        d.name(function, ENV_REWARD, "a word in its name; a step calls it")
    elif means(function.name, "render"):
        d.name(function, ENV_RENDER, "a word in its name")


def is_opponent(d: Decision, function: Function) -> bool:
    """Whether a function is the other side's move: of a class, on an object, or with a name that say
    so."""
    if means(function.name, "opponent") and (len(parts_of(function.name)) > 1):
        return any(means(function.name, word) for word in ("step", "choose", "learn")) or not function.returns
    sites = d.program.callers.get(function, [])
    for caller, call in sites:  # `d.guards = patrol(…)` in a step
        given = frozenset().union(frozenset(), *call.arguments)
        names = [one.targets[0] for one in caller.assignments if call in one.value.calls and not one.unpacked]
        moved = [name.rpartition(".")[2] for name in names if name in given or "." in name]
        if caller in d.stepping and any(means(name, "opponent") for name in moved):
            return True
    sites = [site for site in sites if site[0].owner != function.owner]
    if function.owner and means(function.owner, "opponent"):
        return bool(sites)
    return any(
        means(call.receiver.rpartition(".")[2], "opponent") and not function.returns
        for _, call in sites
        if call.receiver
    )


def name_of_game(d: Decision, function: Function, within_search: set[Function]) -> None:
    """A method of the game that is no step: what the search or the loop asks it for."""
    usual = stage_of_function(function.name)
    if usual is not None and usual.startswith(ENV):
        d.name(function, usual, "its name, in a class that is a game")
    sites = [site for site in d.program.callers.get(function, ()) if site[0].owner != function.owner]
    for caller, call in sites:
        if function.returns:
            targets = next((one.targets for one in caller.assignments if one.direct is call), ())
            hints = [function.name, *targets]
            if any(means(name, "mask") for name in hints):
                d.name(function, ENV_MASK, "it tells what is allowed")
            elif any(means(name, "observe") for name in hints):
                d.name(function, ENV_OBSERVE, "it tells what is seen")
        if caller in within_search or d.stage_of(caller) == ACT_SEARCH:
            d.name(function, ENV_STEP, "the search asks the game's rules")
