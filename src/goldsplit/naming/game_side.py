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
from goldsplit.naming.rewarding import feeds_reward
from goldsplit.naming.sides.changing import changes_game
from goldsplit.naming.sides.movers import moves_others
from goldsplit.naming.sides.opponents import carrying_out, is_opponent, other_sides_choices
from goldsplit.naming.vocabulary import means

#: What a library's own loop steps; what it calls of its vector environments is no plain step.
_PLAYED_BY_LIBRARIES = GAME_BASES - {"VecEnv", "VecEnvWrapper"}
#: In the result of Gymnasium's steps.
_REWARDS_PLACE = 1


def inside_steps(d: Decision) -> None:
    """What a step or a reset calls: observation, mask and reward by what they return, the opponent by
    name."""
    outer = [one for one, (stage, _) in d.stages.items() if stage in (ENV_STEP, ENV_RESET)]
    outer += _wrapped(d, outer)
    for function in outer:
        for elements in function.returns:
            for place, value in enumerate(elements):
                _name_returned(d, function, place, len(elements), value.names, value.calls)
    for function in [one for one, (stage, _) in d.stages.items() if stage == ENV_OBSERVE]:
        _name_masks_beside(d, function)
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


def _name_returned(
    d: Decision, function: Function, place: int, many: int, names: frozenset[str], calls: tuple[Call, ...]
) -> None:
    sources = [(function, call) for call in calls]
    asked = [call for call in calls if d.program.resolve(function, call)]
    used = {name for call in asked for given in call.arguments for name in given}
    sources += d.flow.sources(function, names - used, farthest=1)  # not what made the state that is looked at
    targets = {one: None for where, call in sources for one in d.program.resolve(where, call)}
    added = {
        one
        for beside in (function, *d.methods_beside(function))
        for assignment in beside.assignments
        if assignment.added
        for call in assignment.value.calls
        for one in d.program.resolve(beside, call)
    }
    carrying = {one for step in d.steps if step.function is function for one, _ in carrying_out(d, step)}
    summed = _added_up(d, function) if _is_given_alone(function, names, calls) else set()
    for target in targets:
        if target in d.stepping or target in d.stages or target in carrying or is_opponent(d, target):
            continue
        is_reward = any(means(name, "reward") for name in names) and _is_for_steps(d, target)
        at_place = place == _REWARDS_PLACE and _is_of_library(d, function, many)
        is_reward = is_reward or (at_place and _is_for_steps(d, target))
        is_reward = is_reward and not changes_game(d, target)  # it is a part of the step that tells a reward
        usual_place = place == _REWARDS_PLACE < many - 1 and _is_for_steps(d, target)
        so_named = means(target.name, "reward") or (usual_place and means(target.owner, "reward"))
        if so_named or is_reward or (place in summed and _only_asks(d, function, target)):
            d.name(target, ENV_REWARD, "a step returns its result as the reward")
        elif (
            means(target.name, "mask") or any(means(name, "mask") for name in names) or tells_allowed(target)
        ):
            d.name(target, ENV_MASK, "a step returns its result as the mask")
        elif place and target not in added and _returned_by_both(d, function, target):
            d.name(
                target, ENV_OBSERVE, "what begins a game returns its result, and a step beside the outcome"
            )
        elif _returns_sight(d, function, place, many, names) and target.returns and target not in added:
            d.name(target, ENV_OBSERVE, "a step returns its result as the observation")


def _name_masks_beside(d: Decision, function: Function) -> None:
    """What makes the mask, where one method gives it together with what is seen: `return view, mask`."""
    for elements in function.returns:
        made = [
            {
                one
                for where, call in [
                    *((function, call) for call in value.calls),
                    *d.flow.sources(function, value.names, farthest=1),
                ]
                for one in d.program.resolve(where, call)
            }
            for value in elements
        ]
        for place, value in enumerate(elements):
            others = set().union(*made[:place], *made[place + 1 :])
            for target in made[place] - others if means(value.name, "mask") else ():
                if target.returns and target not in d.stepping:
                    d.name(target, ENV_MASK, "it gives what is allowed, beside what is seen")


def _is_of_library(d: Decision, function: Function, many: int) -> bool:
    """Whether a step gives what those of Gymnasium give, in that order: seen, reward, ended, infos."""
    usual = stage_of_function(function.name) == ENV_STEP and many in (4, 5)
    return usual and function.kind in d.env_classes


def _is_given_alone(function: Function, names: frozenset[str], calls: tuple[Call, ...]) -> bool:
    """Whether a step returns what one call gave, as it is: `gain = self.gain(); return view, gain, over`."""
    made = [one for one in function.assignments if set(one.targets) & names]
    return bool(calls) if not made else all(one.direct is not None and not one.added for one in made)


def _added_up(d: Decision, function: Function) -> set[int]:
    """The places of a step's result that the loops add up (`total += gain`): no end, and no observation."""
    found = set()
    for step in d.steps:
        for caller, call in step.sites if step.function is function else ():
            sums = {one.value.name for one in caller.assignments if one.added}  # not `total += view.sum()`
            for one in caller.assignments:
                for place, name in enumerate(one.targets if one.direct is call and one.unpacked else ()):
                    added = name in sums and name not in caller.ends
                    if added and place != step.ends_at and not means(name, "done"):
                        found.add(place)
    return found


def _only_asks(d: Decision, step: Function, function: Function) -> bool:
    """Whether a step's helper answers without changing what others look at."""
    answers = bool(function.returns) and _is_for_steps(d, function)
    return answers and not changes_game(d, function, kept=0) and function.kind is step.kind


def _is_for_steps(d: Decision, function: Function) -> bool:
    """Whether only steps and resets call a function."""
    callers = {caller for caller, _ in d.program.callers.get(function, ())}
    return all(d.stage_of(caller) in (ENV_STEP, ENV_RESET) for caller in callers)


def _returns_sight(d: Decision, function: Function, place: int, many: int, names: frozenset[str]) -> bool:
    """Whether this place of what a step or a reset returns is the observation's, not the next state."""
    if any(means(name, word) for name in names for word in ("done", "reward")) or function in d.threading:
        return False
    counted = any(one.added and set(one.targets) & names for one in function.assignments)
    if counted and any(d.stage_of(one) == ENV_OBSERVE for one in d.methods_beside(function)):
        return False  # a number that is added up, and what is seen is known
    return (place == 0 and many >= 2) or (many == 1 and d.stages[function][0] == ENV_RESET)


def _returned_by_both(d: Decision, outer: Function, function: Function) -> bool:
    """Whether a step and what begins a game hand on what a function gives, and it changes nothing: what is
    seen, wherever it stands in their results, if nothing else of them is."""
    if any(d.stage_of(one) == ENV_OBSERVE for one in d.program.reached(outer)):
        return False
    giving = {
        d.stage_of(caller)
        for caller, call in d.program.callers.get(function, ())
        for held in [{name for one in caller.assignments if one.direct is call for name in one.targets}]
        for elements in caller.returns
        if any(call in value.calls or value.name in held - {""} for value in elements)
    }
    return (
        {ENV_STEP, ENV_RESET} <= giving and bool(function.returns) and not changes_game(d, function, kept=0)
    )


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
