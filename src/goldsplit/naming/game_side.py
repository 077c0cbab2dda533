"""Inside the game: what a step calls, and what a search asks the game for."""

from __future__ import annotations

from goldsplit.model.named_code import NOT_SAID
from goldsplit.model.stage import (
    ACT,
    ACT_PREDICT,
    ACT_SEARCH,
    ENV,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RENDER,
    ENV_RESET,
    ENV_REWARD,
    ENV_STEP,
    REPLAY_ADD,
)
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.decision import (
    Decision,
    is_accessor,
    is_network,
    is_step_by_name,
    searches,
    tells_allowed,
)
from goldsplit.naming.judging.library_games import GAME_BASES
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.results import name_masks_beside, name_returned
from goldsplit.naming.rewarding import feeds_reward
from goldsplit.naming.sides.movers import moves_others
from goldsplit.naming.sides.opponents import carrying_out, is_opponent, other_sides_choices
from goldsplit.naming.vocabulary import means

#: What a library's own loop steps; what it calls of its vector environments is no plain step.
_PLAYED_BY_LIBRARIES = GAME_BASES - {"VecEnv", "VecEnvWrapper"}


def inside_steps(d: Decision) -> None:
    """What a step or a reset calls: observation, mask and reward by what they return, the opponent by
    name."""
    outer = [one for one, (stage, _) in d.stages.items() if stage in (ENV_STEP, ENV_RESET)]
    outer += _wrapped(d, outer)
    for function in outer:
        for elements in function.returns:
            for place, value in enumerate(elements):
                name_returned(d, function, place, len(elements), value.names, value.calls)
    for function in [one for one, (stage, _) in d.stages.items() if stage == ENV_OBSERVE]:
        name_masks_beside(d, function)
    inside = d.inside_env | {one for function in outer for one in d.program.reached(function)}
    ordered = sorted(inside - d.stepping, key=lambda one: (one.file, one.first))
    for function in ordered:
        if is_opponent(d, function) or stage_of_function(function.name) in (ACT, ENV_OPPONENT):
            moves = moves_others(d, function)
            reason = "it moves others than the action does" if moves else "a word in its name, class or file"
            d.name(function, ENV_OPPONENT, f"{reason}; a step calls it")
    other_sides_choices(d, inside - d.stepping)
    for function in ordered:
        _name_inside(d, function)


def games_of_libraries(d: Decision) -> None:
    """Name the steps and resets that a library calls: what they call is inside the game then."""
    for kind in sorted(d.env_classes, key=lambda one: (one.file, one.name)):
        for function in kind.methods.values():
            if stage_of_function(function.name) in (ENV_STEP, ENV_RESET) and function not in d.stages:
                usual = stage_of_function(function.name) or ENV_STEP
                d.name(function, usual, "its name, in a class that is a game")
                if d.stage_of(function) == usual:
                    d.inside_env |= d.program.reached(function) - d.stepping - set(d.loops)
                    if usual == ENV_STEP and _only_a_library_calls(d, function):
                        d.library_steps.add(function)


def _only_a_library_calls(d: Decision, step: Function) -> bool:
    """Whether the program itself calls the step of a library's kind of game nowhere but in wrappers."""
    kinds = d.program.with_bases(step.kind) if step.kind is not None else ()
    bases = {name.rpartition(".")[2] for kind in kinds for name in kind.bases}
    callers = {caller for caller, _ in d.program.callers.get(step, ())}
    return bool(bases & _PLAYED_BY_LIBRARIES) and all(is_step_by_name(one) for one in callers)


def _wrapped(d: Decision, outer: list[Function]) -> list[Function]:
    """The steps and resets of the games inside wrappers: what a step calls by its own name, on another object
    (`def push(self, move): seen, gain, over = self.inner.push(move)`)."""
    found: list[Function] = []
    waiting = list(outer)
    while waiting:
        function = waiting.pop()
        for call in function.calls:
            given = frozenset().union(frozenset(), *call.arguments)
            hands_on = bool(given & set(function.parameters)) or not (function.parameters or given)
            so_named = call.name == function.name and call.receiver and not call.loops
            inner = d.program.resolve(function, call) if so_named and hands_on else ()
            for one in inner:
                if one.kind not in (None, function.kind) and one not in (*outer, *found):
                    d.name(one, d.stage_of(function) or ENV_STEP, "a wrapper of the game calls it so, too")
                    found.append(one)
                    waiting.append(one)
    return found


def _name_inside(d: Decision, function: Function) -> None:
    usual = stage_of_function(function.name)
    if function in d.stages:
        return
    if usual is not None and usual.startswith(ENV) and usual not in (ENV_STEP, ENV_RESET):
        d.name(function, usual, "its name")
    elif means(function.name, "reward") and function.returns and feeds_reward(d, function):
        d.name(function, ENV_REWARD, "a word in its name; its result goes into what a step returns")
    elif means(function.name, "render"):
        d.name(function, ENV_RENDER, "a word in its name")


def name_of_game(d: Decision, function: Function, within_search: set[Function]) -> None:
    """A method of the game that is no step: what the search or the loop asks it for."""
    usual = stage_of_function(function.name)
    if usual is not None and usual.startswith(ENV):
        d.name(function, usual, "its name, in a class that is a game")
    sites = [site for site in d.program.callers.get(function, ()) if site[0].kind is not function.kind]
    for caller, call in sites:
        if function.returns:
            targets = next((one.targets for one in caller.assignments if one.direct is call), ())
            hints = [function.name, *targets]
            if tells_allowed(function) or any(means(name, "mask") for name in hints):
                d.name(function, ENV_MASK, "it tells what is allowed")
            elif any(means(name, "observe") for name in hints):
                d.name(function, ENV_OBSERVE, "it tells what is seen")
        if _ends_the_loop(d, caller, call):
            d.name(function, ENV_STEP, "the loop asks the game's rules by it whether the game is over")
        elif (caller in within_search or d.stage_of(caller) == ACT_SEARCH) and not is_accessor(function):
            d.name(function, ENV_STEP, "the search asks the game's rules")
        elif function.returns and _is_given_choice(d, caller, call):
            if _is_put(caller, call):
                d.name(function, REPLAY_ADD, "it makes of a choice what is kept to learn from")
        elif function.returns and _is_beside_a_step(d, caller, call):
            if means(function.name, "reward"):
                d.name(function, ENV_REWARD, "a word in its name; it is asked for beside a step")
            d.name(function, ENV_OBSERVE, "it is asked for beside a step, as what is seen")


def rules_in_search(d: Decision) -> None:
    """What a search asks the rules for, where the game is no class: what follows a move, what is allowed,
    what the network is shown."""
    searching = [one for one, (stage, _) in d.stages.items() if stage == ACT_SEARCH]
    within = {target for one in searching for target in d.program.reached(one)}
    for function in d.rules:
        d.name(function, ENV_STEP, "a search tries moves by it, and the real step makes them by it")
    carrying = {function for step in d.steps for function, _ in carrying_out(d, step)}
    for function in within:
        if function in carrying and function.returns:
            d.name(function, ENV_STEP, "the search asks it what follows a move, as a step does")
        elif means(function.name, "mask") and function.returns and not searches(function):
            d.name(function, ENV_MASK, "a word in its name; a search asks it")
    for caller in (*searching, *within):
        for call in caller.calls:
            asked = d.program.resolve(caller, call)
            if any(is_network(one.kind) or d.stage_of(one) == ACT_PREDICT for one in asked):
                names = frozenset().union(frozenset(), *call.arguments)
                sources = [(caller, one) for one in call.inner] + d.flow.sources(caller, names)
                for at, source in sources:
                    for one in d.program.resolve(at, source):
                        own = one.kind is caller.kind is not None  # a part of asking, not of seeing
                        if not is_network(one.kind) and one.returns and not own and _is_shown(d, at, source):
                            d.name(one, ENV_OBSERVE, "it makes what a search shows the network")


def _is_shown(d: Decision, at: Function, source: Call) -> bool:
    """Whether a value is made for the question alone, and is not the tree, of which the search asks more: it
    is given to nothing else of the user's that works with it."""
    held = {name for one in at.assignments if one.direct is source for name in one.targets}
    users = [
        target
        for call in at.calls
        if any(names & held for names in call.arguments)
        for target in d.program.resolve(at, call)
    ]
    return all(is_network(one.kind) or d.stage_of(one) == ACT_PREDICT for one in users)


def _ends_the_loop(d: Decision, caller: Function, call: Call) -> bool:
    """Whether a loop with a step in it ends as the answer to a question about its state tells."""
    held = {target for one in caller.assignments if one.direct is call for target in one.targets}
    for step in d.steps:
        for where, one in step.sites:
            for loop in one.loops[-1:] if where is caller and step.ends_at == NOT_SAID else ():
                leaving = caller.leaving.get(loop, frozenset()) | caller.loop_names[loop]
                if call in caller.loop_calls[loop] or (loop in call.loops and held & leaving):
                    return True
    return False


def _is_given_choice(d: Decision, caller: Function, call: Call) -> bool:
    """Whether a call is given what an acting function has given: nothing that is seen is made of that."""
    given = frozenset().union(frozenset(), *call.arguments)
    return any(
        d.stage_of(function) in (ACT, ACT_SEARCH)
        for one in caller.assignments
        if given & set(one.targets)
        for source in one.value.calls
        for function in d.program.resolve(caller, source)
    )


def _is_put(caller: Function, call: Call) -> bool:
    """Whether what a call gives, or each part of it, is put into a collection."""
    held = {name for one in caller.assignments if call in one.value.calls for name in one.targets}
    held |= {
        name for one in caller.assignments if one.each and one.value.names & held for name in one.targets
    }
    put = [one for one in caller.calls if one.name in PUTTING]
    return any(call in one.inner or any(names & held for names in one.arguments) for one in put)


def _is_beside_a_step(d: Decision, caller: Function, call: Call) -> bool:
    """Whether a call stands in the loop of a step, and its result is kept or handed on."""
    loops = {one.loops for step in d.steps for where, one in step.sites if where is caller}
    kept = any(call in one.value.calls for one in caller.assignments)
    handed = any(call in other.inner for other in caller.calls)
    return bool(call.loops) and call.loops in loops and (kept or handed) and not call.now_and_then
