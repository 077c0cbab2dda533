"""Which loop around a step is that of one game? The innermost one may be smaller, or no game's at all.

`while not match.over: … while not ready: … ready = match.buy(choice)`: the result ends a round, not the game.
`for game in games: … over = game.play(move)`: the loop goes through games, each of which goes on.
"""

from __future__ import annotations

from goldsplit.naming.decision import Decision
from goldsplit.naming.judging.generators import games_of
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.steps import StepFunction, outcome_names


def turn_loops(caller: Function, call: Call) -> tuple[int, ...]:
    """The loops around a step, without the innermost one if that only goes through many games."""
    around = call.loops[:-1]
    through = any(
        one.each and one.loops == around and call.receiver in one.targets and one.order <= call.order
        for one in caller.assignments
    )
    return around if through and around and call.receiver else call.loops


def find_rounds(d: Decision) -> None:
    """Keep which steps end only a round by their result, each with how many loops are around the game's."""
    for step in d.steps:
        for caller, call in step.sites:
            depth = _game_depth(d, step, caller, call)
            if depth is not None:
                d.rounds[call] = depth
        if any(call in d.rounds for _, call in step.sites):
            step.in_rounds = True
            written = written_by(d, step.function)
            asked = step.asked.replace("not ", "").split(" or ") if step.asked else []
            if not all(one.split(" is ")[0].removeprefix("self.") in written for one in asked):
                step.asked = ""  # something else in the turn tells it, later


def around_game(d: Decision, caller: Function, call: Call) -> tuple[int, ...]:
    """The loops around the loop of one game."""
    return call.loops[: d.rounds[call]] if call in d.rounds else turn_loops(caller, call)[:-1]


def in_play(d: Decision, step: StepFunction, caller: Function, call: Call) -> bool:
    """Whether a call stands in a loop in which a game goes on, as a call of its step does."""
    for where, one in step.sites:
        if where is not caller:
            continue
        if call.loops == one.loops:
            return True
        if not call.conditional and turn_loops(caller, call) == turn_loops(where, one):
            return True  # each of many games is asked, in a loop of its own
        inside = call.loops[: d.rounds[one] + 1] if one in d.rounds else ()
        if inside and inside == one.loops[: len(inside)] and len(inside) > d.rounds[one]:
            return True
    return False


def _game_depth(d: Decision, step: StepFunction, caller: Function, call: Call) -> int | None:
    if len(call.loops) < 2 or not call.receiver or turn_loops(caller, call) != call.loops:
        return None
    told = outcome_names(caller, call)
    if not told & (caller.loop_names[call.loops[-1]] | caller.leaving.get(call.loops[-1], frozenset())):
        return None
    for depth in range(len(call.loops) - 1):
        around = call.loops[: depth + 1]
        asks = _asks_alone(caller, call.receiver, around[-1])
        begun = _begins_before(d, step, caller, call, depth)
        inside = _may_begin_inside(d, step, caller, call, around)
        if (asks and (begun or not inside)) or (begun and not inside and _goes_on(d, caller, call, around)):
            return depth
    return None


def _asks_alone(caller: Function, game: str, loop: int) -> bool:
    """Whether a loop's condition asks the game alone: `while not game.over`, `while not game.is_over()`."""
    names = {name for name in caller.loop_names[loop] if name.rpartition(".")[0] == game}
    asked = any(one.receiver == game and not one.arguments for one in caller.loop_calls[loop])
    return bool(names & caller.over_when.keys()) or (asked and loop not in caller.other_ends)


def _begins_before(d: Decision, step: StepFunction, caller: Function, call: Call, depth: int) -> bool:
    """Whether a game is made, or told something without arguments, just before a loop that runs again and
    again."""
    if not depth and not d.program.is_repeated(caller):
        return False
    before = [
        one
        for one in caller.calls
        if one.loops == call.loops[:depth] and one.order < call.order and not one.conditional
    ]
    kinds = games_of(d.program, step.function)
    return any(
        d.program.is_class(caller, one) in kinds or (one.receiver == call.receiver and not one.arguments)
        for one in before
    )


def _may_begin_inside(
    d: Decision, step: StepFunction, caller: Function, call: Call, around: tuple[int, ...]
) -> bool:
    """Whether something in a loop may begin a game: it makes one, or tells it something without arguments
    before the loop of the step."""
    kinds = games_of(d.program, step.function)
    for one in caller.calls:
        if one.loops[: len(around)] != around or one.loops == call.loops:
            continue
        told = one.receiver == call.receiver and not one.arguments and one.order < call.order
        changing = any(not only_asks(d, target) for target in d.program.resolve(caller, one))
        if d.program.is_class(caller, one) in kinds or (told and changing):
            return True
    return False


def _goes_on(d: Decision, caller: Function, call: Call, around: tuple[int, ...]) -> bool:
    """Whether the game is told more behind the loop of its step, and one answer is added up or there are
    several of them: one alone may begin the next game."""
    later = [
        one
        for one in caller.calls
        if one.receiver == call.receiver and one.order > call.order and one.loops == around
    ]
    told = {one: target for one in later for target in d.program.resolve(caller, one)}
    told = {one: target for one, target in told.items() if not only_asks(d, target)}
    added = any(one.added and set(one.value.calls) & told.keys() for one in caller.assignments)
    return bool(told) and (added or len(set(told.values())) > 1)


def only_asks(d: Decision, function: Function) -> bool:
    """Whether a function surely changes nothing: nobody in it writes an attribute, or tells an object that
    is not known something."""
    for one in _run_by(d, function):
        own = f"{one.self_name}." if one.self_name else "\0"
        told = any(
            call.receiver.startswith(own) and (call.name in PUTTING or not d.program.resolve(one, call))
            for call in one.calls
        )
        if told or _written(one):
            return False
    return True


def _run_by(d: Decision, function: Function) -> list[Function]:
    return [function, *(one for one in d.program.reached(function) if one.name != "__init__")]


def written_by(d: Decision, function: Function) -> set[str]:
    """The attributes that a function gives values, or what it calls does."""
    return {name for one in _run_by(d, function) for name in _written(one)}


def _written(function: Function) -> set[str]:
    """The attributes that a function gives values."""
    return {
        target.rpartition(".")[2] for one in function.assignments for target in one.targets if "." in target
    }
