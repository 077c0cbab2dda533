"""What makes a step's results: the observation, the mask and the reward, by where and how it returns them."""

from __future__ import annotations

from goldsplit.model.stage import ENV_MASK, ENV_OBSERVE, ENV_RESET, ENV_REWARD, ENV_STEP
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.decision import Decision, tells_allowed
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.sides.changing import changes_game
from goldsplit.naming.sides.movers import pieces_changed
from goldsplit.naming.sides.opponents import carrying_out, is_opponent
from goldsplit.naming.vocabulary import means

#: In the result of Gymnasium's steps.
_REWARDS_PLACE = 1


def name_returned(
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
            if pieces_changed(target):
                continue  # a rule that moves things may be called first in what a step returns
            d.name(target, ENV_OBSERVE, "a step returns its result as the observation")


def name_masks_beside(d: Decision, function: Function) -> None:
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
