"""Moves that are tried on a copy of the game: `sim = copy.deepcopy(game); sim.play(move); worth(sim)`.

A bot's look-ahead makes thousands of them, perhaps in a pool where nothing shows whose they are. They follow
the rules of the game, but are no steps of the training: the copy is made for one move and kept nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.model.named_code import TRIED, NamedFunction
from goldsplit.model.stage import ACT_SEARCH, ENV_OPPONENT, ENV_STEP
from goldsplit.naming.reading.code_facts import Assignment, Call, Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.vocabulary import words_in

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program
    from goldsplit.naming.decision import Decision
    from goldsplit.naming.steps import StepFunction

_COPYING = words_in("clone copy deepcopy")
#: What is not counted inside these anyway.
_NOT_COUNTED_IN = frozenset({ACT_SEARCH, ENV_OPPONENT, ENV_STEP})


def tries(program: Program, function: Function) -> list[tuple[Function, Call]]:
    """The calls of a step that are made on a copy of the game."""
    return [site for site in program.callers.get(function, ()) if _is_tried(program, *site)]


def without_tries(program: Program, step: StepFunction) -> None:
    """Forget such calls of a step if there are others: the loops around them play nothing."""
    tried = [call for _, call in tries(program, step.function)]
    played = [site for site in step.sites if site[1] not in tried]
    step.sites = played or step.sites


def lines_of_tries(d: Decision) -> list[NamedFunction]:
    """The lines that try moves, where the function around them does not tell it."""
    found = []
    for step in d.steps:
        tried = tries(d.program, step.function)
        if len(tried) == len(d.program.callers.get(step.function, ())):
            continue  # nothing else makes moves: who knows what the copies are for
        for caller, call in tried:
            if d.stage_of(caller) not in _NOT_COUNTED_IN:
                reason = "a move that is only tried, on a copy of the game"
                lines = call.line, call.line
                found.append(
                    NamedFunction(caller.file, caller.qualname, *lines, ENV_STEP, reason, False, TRIED, ())
                )
    return found


def _is_tried(program: Program, caller: Function, call: Call) -> bool:
    """Whether a call moves a copy that its function has just made, in the same pass of the same loop."""
    names = {call.receiver} if call.receiver else set().union(*call.arguments[:1])
    made = [one for one in caller.assignments if names & set(one.targets)]
    return (
        len(names) == 1
        and bool(made)
        and all(one.loops == call.loops and one.order < call.order for one in made)
        and all(_is_copy(program, caller, one) for one in made)
        and not _is_kept(program, caller, *names)
    )


def _is_copy(program: Program, caller: Function, made: Assignment) -> bool:
    call = made.direct
    return call is not None and not made.unpacked and _copies(program, caller, call)


def _copies(program: Program, caller: Function, call: Call) -> bool:
    """Whether a call gives a copy: by the library, or by a method whose result such a call is."""
    if call.name in _COPYING:
        return True
    meant = program.resolve(caller, call)
    return bool(meant) and all(
        any(inner.name in _COPYING for values in one.returns for value in values for inner in value.calls)
        for one in meant
    )


def gives_another_game(program: Program, function: Function) -> bool:
    """Whether a method gives an object that it made of its own class: a copy, or what follows a move. Nobody
    sees by that: `def clone(self): other = Board(self.size); …; return other`."""
    given = {value.name for values in function.returns if len(values) == 1 for value in values}
    at_once = [call for values in function.returns if len(values) == 1 for call in values[0].calls]
    made = [one.direct for one in function.assignments if one.direct and given & set(one.targets)]
    return function.kind is not None and any(
        call.name == "__new__" or program.is_class(function, call) is function.kind for call in at_once + made
    )


def becomes(program: Program, caller: Function, call: Call) -> set[str]:
    """The names that the object of a call has afterwards, in the same loop: `game = game.copy().play(move)`,
    or `after = game.copy(); after.play(move); game = after`."""
    moved = program.resolve(caller, call)
    is_result = bool(moved) and all(_gives_itself(one) or gives_another_game(program, one) for one in moved)
    return {
        one.targets[0]
        for one in caller.assignments
        if not one.unpacked and one.order >= call.order and one.loops == call.loops
        if (one.direct is call and is_result)
        or (one.direct is None and one.value.name == call.receiver != "")
    }


def _gives_itself(function: Function) -> bool:
    given = {value.name for values in function.returns if len(values) == 1 for value in values}
    return function.self_name != "" and given == {function.self_name}


def _is_kept(program: Program, caller: Function, name: str) -> bool:
    """Whether an object is given back, put somewhere, made a part of another one or called otherwise."""
    returned = any(value.name == name for values in caller.returns for value in values)
    given_on = any(value.name == name for one in caller.assignments for value in (one.value, *one.elements))
    put = any(
        frozenset({name}) in call.arguments
        and (call.name in PUTTING or program.is_class(caller, call) is not None)
        for call in caller.calls
    )
    return returned or given_on or put or caller.is_generator
