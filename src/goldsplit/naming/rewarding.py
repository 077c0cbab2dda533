"""A reward that the loop works out beside the step: it asks the game, and the answer is learned from.

As in `game.play(move); after = game.balance(); memory.append((view, move, after - before))`.
"""

from __future__ import annotations

from goldsplit.model.stage import ACT, ENV_OPPONENT, ENV_REWARD
from goldsplit.naming.decision import Decision, asks_network
from goldsplit.naming.flow import choices_put_in
from goldsplit.naming.judging.generators import games_asked
from goldsplit.naming.reading.code_facts import Assignment, Call, Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.sides.changing import ALL_ITS_OWN, changes_game
from goldsplit.naming.vocabulary import means, words_in

#: A value is followed through at most this many assignments.
_FARTHEST = 4
#: What makes a text for somebody else out of values, or sends it.
_AS_TEXT = words_in("send_json send_text send_str print")
_TEXT_MODULES = words_in("json orjson ujson simplejson")
#: What the game tells beside a reward, by a word.
_NO_REWARD = ("done", "mask", "observe", "reset", "output", "render", "choose")


def rewards_outside(d: Decision) -> None:
    """Name what asks the game after its step, where the answer is stored or learned from with the action."""
    for step in d.steps:
        for caller, call in step.sites:
            if caller in d.stepping or caller in d.inside_env:
                continue
            for other in caller.calls:
                asks = _comes_after(call, other) and _asks_the_game(d, caller, call, other)
                asks = asks and not _is_of_another_side(d, caller, other)
                if asks and is_learned_from(caller, call, other):
                    for function in d.program.resolve(caller, other):
                        _name(d, function)
            _written_inside(d, caller, call)


def _is_of_another_side(d: Decision, caller: Function, call: Call) -> bool:
    """Whether a call stands in lines that are the other side's turn."""
    return any(
        one.stage == ENV_OPPONENT and one.function == caller.qualname and one.first <= call.line <= one.last
        for one in d.lines
        if one.file == caller.file
    )


def _written_inside(d: Decision, caller: Function, step: Call) -> None:
    """Name what writes, inside a step, the attribute of the game that is stored or learned from with the
    action: `memory.add(view, move, game.earned, game.over)`."""
    action = _action_of(caller, step)
    action |= {name for one in choices_put_in(d.flow, caller, step) for name in results(caller, one[1])}
    for told in caller.calls:
        names = frozenset().union(frozenset(), *told.arguments)
        if told is step or not names & action or not step.receiver:
            continue
        for name in sorted(names & read_of_game(caller, step) - caller.ends):
            for writer, assignment in d.flow.written(caller, name):
                known = any(d.stage_of(one) for one in _makers(d, writer, assignment))
                if not known and writer in d.inside_env and not means(name, "done"):
                    _name(d, writer, returns=False)


def _action_of(caller: Function, step: Call) -> frozenset[str]:
    """The names that a step's arguments use, without the place at which they are taken out of something:
    `moves` of `game.play(moves[i])`."""
    given = frozenset().union(frozenset(), *step.arguments)
    counted = {"range", "enumerate"}
    values = {
        name
        for one in caller.assignments
        if not (one.each and {made.name for made in one.value.calls} & counted)
        for name in one.targets
    }
    return frozenset(name for name in given if name in values or name in caller.parameters) or given


def results(caller: Function, call: Call) -> set[str]:
    """The names that hold what a call gave."""
    return {target for one in caller.assignments if one.direct is call for target in one.targets}


def read_of_game(caller: Function, step: Call) -> frozenset[str]:
    """The attributes of the game that its loop hands on: `game.earned` of `add(move, game.earned)`."""
    given = {name for call in caller.calls for names in call.arguments for name in names}
    return frozenset(name for name in given if step.receiver and name.rpartition(".")[0] == step.receiver)


def _makers(d: Decision, writer: Function, assignment: Assignment) -> list[Function]:
    """What made a value that is written: if that has a stage, the value is no reward."""
    return [
        one for at, call in d.flow.choices_in(writer, assignment.value) for one in d.program.resolve(at, call)
    ]


def _name(d: Decision, function: Function, returns: bool = True) -> None:
    acting = {one.kind for one, (stage, _) in d.stages.items() if stage.startswith(ACT) and one.kind}
    of_the_agent = function.kind in acting or asks_network(d, function)
    plays = function in d.loops or function in d.stepping or d.stepping & d.program.reached(function)
    if function in d.learning or of_the_agent or plays or (returns and not function.returns):
        return
    if changes_game(d, function, 1 if returns else ALL_ITS_OWN):
        return  # what moves things is no question, though it may tell what that earned
    if not any(means(function.name, word) for word in _NO_REWARD):
        d.name(function, ENV_REWARD, "it asks the game after a step, and its result is learned from")


def feeds_reward(d: Decision, function: Function, far: int = 0) -> bool:
    """Whether what a function gives goes into what a step returns, or into an attribute that is a reward; and
    the other side's choice does not ask for it: then it is a value of the game."""
    others = [one for one, (stage, _) in d.stages.items() if stage == ENV_OPPONENT]
    if far > _FARTHEST or any(function in d.program.reached(one) for one in others):
        return False
    for caller, call in d.program.callers.get(function, ()):
        held = _holding(caller, call)
        if any("." in name and means(name.rpartition(".")[2], "reward") for name in held):
            return True
        given = [value for elements in caller.returns for value in elements]
        returned = any(call in value.calls or value.names & held for value in given)
        known = caller in d.stepping or d.stage_of(caller) == ENV_REWARD
        if returned and (known or (caller in d.inside_env and feeds_reward(d, caller, far + 1))):
            return True
    return False


def _holding(caller: Function, call: Call) -> set[str]:
    """The names that hold what a call gave, or what was made of it."""
    held = {name for one in caller.assignments if call in one.value.calls for name in one.targets if name}
    for _ in range(_FARTHEST):
        for one in caller.assignments:
            parts = one.elements or (one.value,) * len(one.targets)
            held |= {name for name, value in zip(one.targets, parts, strict=False) if value.names & held}
    return held - {""}


def _comes_after(step: Call, other: Call) -> bool:
    return other is not step and other.order > step.order and other.loops[: len(step.loops)] == step.loops


def _asks_the_game(d: Decision, caller: Function, step: Call, other: Call) -> bool:
    """Whether a call is one of the game's own, or is given the game."""
    result = {target for one in caller.assignments if one.direct is step for target in one.targets}
    given = frozenset().union(frozenset(), *step.arguments)
    game = games_asked(d.program, caller, step) | (given & result)
    asked = {other.receiver}.union(*other.arguments)
    return bool(game & asked)


def _leading_to(caller: Function, names: frozenset[str]) -> set[str]:
    """The names that other names are made of, in one function."""
    found = set(names)
    for _ in range(_FARTHEST):
        found |= {name for one in caller.assignments if set(one.targets) & found for name in one.value.names}
    return found


def _is_added_up(caller: Function, other: Call, results: set[str], action: frozenset[str]) -> bool:
    """Whether an answer is added to a sum (`total += game.paid()`), or put into a list as the action is."""
    if any(one.added and other in one.value.calls for one in caller.assignments):
        return True
    put = [
        (call.receiver, names)
        for call in caller.calls
        if call.name in PUTTING and call.loops == other.loops
        for names in (frozenset().union(frozenset(), *call.arguments),)
    ]
    return any(names & results for _, names in put) and any(names & action for _, names in put)


def _makes_text(call: Call) -> bool:
    return call.name in _AS_TEXT or (call.name == "dumps" and call.receiver in _TEXT_MODULES)


def is_learned_from(caller: Function, step: Call, other: Call) -> bool:
    """Whether what a call gives is told to something together with the action; not as the end."""
    results = {target for one in caller.assignments if other in one.value.calls for target in one.targets}
    if results & caller.ends or any(means(name, "done") for name in results):
        return False
    if any(means(name, "reward") for name in results):
        return True
    action = _action_of(caller, step)
    if not results & _leading_to(caller, action) and _is_added_up(caller, other, results, action):
        return True
    for _ in range(_FARTHEST):
        results |= {
            target
            for one in caller.assignments
            if one.order >= other.order and one.value.names & results
            for target in one.targets
        }
    for told in caller.calls:
        names = frozenset().union(frozenset(), *told.arguments)
        known = bool(names & results) or other in told.inner
        if any(map(_makes_text, (told, *told.inner))):
            continue  # the answer to a message: it has other words of that beside the action
        if known and names & action and told is not step and told.order >= other.order:
            return True
    return False
