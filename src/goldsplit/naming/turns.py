"""A turn of the game that the loop makes out of several calls.

`arena.steer(choice); arena.bots(); arena.fly(); reward, over = arena.close()`: the last one is counted as
the step, what the loop tells the game before it is a part of it.
"""

from __future__ import annotations

from goldsplit.model.stage import ENV_OPPONENT, ENV_STEP
from goldsplit.naming.decision import Decision
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.rewarding import is_learned_from
from goldsplit.naming.sides.changing import changes_game
from goldsplit.naming.sides.movers import moves_others
from goldsplit.naming.sides.opponents import is_opponent
from goldsplit.naming.vocabulary import means

#: What is asked of a game, or done with it, beside a turn; by a word.
_ASIDE = ("done", "mask", "observe", "output", "render", "reset", "save", "learn", "store")


def parts_of_turns(d: Decision) -> None:
    """Name what is told the game in each turn before its step, and keep where that is."""
    for step in d.steps:
        for caller, call in step.sites:
            if caller in d.stepping or caller in d.inside_env or not call.receiver or not call.loops:
                continue
            if call.receiver == caller.self_name:
                continue  # a server's own method: what it does beside is no turn
            if _gives_next_state(caller, call):
                continue  # what else is called has nothing to keep: it is asked
            for other in caller.calls:
                given = f"{other.receiver}.{other.name}" in call.made  # not `play(pick(game.view()))`
                if _is_before(call, other) and (given or not _is_used(caller, other)):
                    for function in d.program.resolve(caller, other):
                        if _is_part(d, function, step.function):
                            _name(d, function)
                            d.told.append((caller, other))


def rest_of_turns(d: Decision) -> None:
    """Name what the loop tells the game after its step, where that changes the game: `gain = game.play(move);
    gain -= game.foes()`. It is no question for a reward, though it may tell what the change earned."""
    for step in d.steps:
        for caller, call in step.sites:
            if caller in d.stepping or caller in d.inside_env or not call.receiver or not call.loops:
                continue
            for other in caller.calls:
                later = other.loops == call.loops and other.order >= call.order and other is not call
                between = _is_between_rounds(d, call, other)
                later = other.receiver == call.receiver and (later or between) and not other.now_and_then
                for function in d.program.resolve(caller, other) if later else ():
                    if not _is_part(d, function, step.function):
                        continue
                    alone = not _is_used(caller, other)
                    told = alone and (
                        is_opponent(d, function)
                        or _goes_on(d, other, function)
                        or (between and changes_game(d, function, kept=0))
                    )
                    if told or (is_learned_from(caller, call, other) and changes_game(d, function)):
                        _name(d, function, "it changes the game after the step, in the same turn")


def _is_between_rounds(d: Decision, step: Call, other: Call) -> bool:
    """Whether a call stands in the loop of a game, but outside that of a round."""
    around = other.loops
    inside = step in d.rounds and d.rounds[step] < len(around) < len(step.loops)
    return inside and step.loops[: len(around)] == around


def _goes_on(d: Decision, call: Call, function: Function) -> bool:
    """Whether the game goes on by a call of each turn, without being told anything: the function, or what it
    has of its own object for it, changes what others look at."""
    each_turn = not call.conditional or all(name.startswith("not ") for name in call.behind)
    own = [one for one in d.program.reached(function) if one.kind is function.kind]
    changes = any(changes_game(d, one) for one in (function, *own))
    return each_turn and not call.arguments and not function.returns and changes


def _gives_next_state(caller: Function, step: Call) -> bool:
    """Whether a step's state is a value that goes round, and its object has only the rules."""
    given = frozenset().union(frozenset(), *step.arguments)
    return any(one.direct is step and given & set(one.targets) for one in caller.assignments)


def _is_before(step: Call, other: Call) -> bool:
    """Whether a call tells the same object something in each turn, not later than its step."""
    same = other.receiver == step.receiver and other.loops == step.loops and other is not step
    return same and other.order <= step.order and not other.now_and_then


def _is_used(caller: Function, call: Call) -> bool:
    """Whether something is done with what a call gives."""
    kept = any(call in one.value.calls for one in caller.assignments)
    asked = any(call in calls for calls in caller.loop_calls.values())
    return kept or asked or any(call in other.inner for other in caller.calls)


def _is_part(d: Decision, function: Function, step: Function) -> bool:
    return (
        function.kind is step.kind
        and function.kind is not None
        and function not in d.stages
        and bool(function.loop_names or function.calls)  # else it only notes something
        and (is_opponent(d, function) or not any(means(function.name, word) for word in _ASIDE))
    )


def _name(
    d: Decision, function: Function, reason: str = "the loop tells the game so in each turn, before its step"
) -> None:
    if is_opponent(d, function):
        reason = "it moves others than the action does" if moves_others(d, function) else "a word in its name"
        d.name(function, ENV_OPPONENT, f"{reason}; the loop calls it in each turn")
    else:
        d.name(function, ENV_STEP, reason)
