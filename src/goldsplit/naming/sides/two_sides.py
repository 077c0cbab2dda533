"""One loop chooses for both sides: which choice is the agent's, and which is played against it?

`mine = pick(seen); theirs = pick(their_view, net=frozen); game.play(mine, theirs)`: what is stored or learned
from is the agent's. The other one may be made by the very same function; then its lines tell.
"""

from __future__ import annotations

import math

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ENV_OPPONENT
from goldsplit.naming.decision import Decision, asks_network
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.vocabulary import means

Site = tuple[Function, Call]
Choice = tuple[Function, Call, Function]
"""Where a choice is made, by which call, of which function."""


def of_the_other_side(d: Decision, caller: Function, choices: list[Choice]) -> list[Choice]:
    """Of the choices that one step is given those that are not the agent's."""
    here = [one for one in choices if one[0] is caller]
    if len({source for _, source, _ in here}) < 2:
        return []
    kept = [one for one in here if _is_kept(d, caller, one[1])]
    others = [one for one in here if one not in kept]
    if not kept:  # nothing is learned from here: a word must tell
        others = [one for one in here if _is_called_so(caller, one[1])]
        kept = [one for one in here if one not in others]
    mine = {function for _, _, function in kept}
    return [one for one in others if kept and (_may_choose(d, one, mine) or _is_in_another_branch(one, kept))]


def name_other_side(d: Decision, others: list[Choice], mine: list[Choice]) -> None:
    """By its function if it is the other side's alone, by its lines if the agent uses it too."""
    for at, source, function in others:
        reason = "a step is given what it chooses, beside the agent's action; nothing is learned from it"
        if function not in {one for _, _, one in mine} and all(
            where is at for where, _ in d.program.callers.get(function, ())
        ):
            d.name(function, ENV_OPPONENT, reason)
            continue
        first, last = _lines_around(at, source, [call for _, call, _ in mine])
        if first and not _is_in_turn(d, at, source):
            d.lines.append(
                NamedFunction(at.file, at.qualname, first, last, ENV_OPPONENT, reason, own_counters=())
            )


def name_beside_messages(d: Decision, step: Function, choices: list[Choice]) -> None:
    """Name what chooses beside an action that came by a message: it tries moves first, or words tell."""
    for at, source, function in choices:
        words = means(function.name, "choose") or _is_called_so(at, source)
        if function.returns and (step in d.program.reached(function) or words):
            d.name(function, ENV_OPPONENT, "a step is given what it chooses, beside what a message brought")


def name_other_turns(d: Decision, sites: list[Site], choices: dict[Call, list[Choice]]) -> list[Call]:
    """Of the calls of one step those that make the other side's moves: its choice is kept nowhere, while that
    of another call in the same loop is. Their lines are the other side's turn, its move too."""
    found: list[Call] = []
    bots: set[Function] = set()
    choices = {call: _nearest(caller, call, choices[call]) for caller, call in sites}
    for caller, call in sites:
        beside = [one for where, one in sites if where is caller and one.loops == call.loops != ()]
        mine = [one for one in beside if any(_is_kept(d, caller, made[1]) for made in choices[one])]
        agents = {function for one in mine for _, _, function in choices[one]}
        here = [one for one in choices[call] if one[0] is caller]
        if not mine or call in mine:
            continue
        if not any(_may_choose(d, one, agents) or _is_another_player(d, one, agents) for one in here):
            continue
        for choice in here:
            if _is_another_player(d, choice, agents):
                bots.add(choice[2])
        _name_turn(d, caller, [call, *(source for _, source, _ in here)], mine, choices)
        found.append(call)
    for function in bots:
        d.name(function, ENV_OPPONENT, "it chooses for the other side, whose turn the loop plays too")
    for caller, call in _first_moves(d, sites, found, bots):
        _name_turn(d, caller, [call], [], choices)
    return found + _beside_turns(d, sites, found)


def _first_moves(d: Decision, sites: list[Site], found: list[Call], bots: set[Function]) -> list[Site]:
    """The other calls of the step, beside such turns, that carry out a bot's choice: it may begin a game."""
    moves = []
    for caller in dict.fromkeys(where for where, call in sites if call in found):
        steps = {one for where, call in sites if where is caller for one in d.program.resolve(caller, call)}
        for call in caller.calls:
            if not steps.intersection(d.program.resolve(caller, call)) or (caller, call) in sites:
                continue
            sources = d.flow.sources(caller, frozenset().union(frozenset(), *call.arguments))
            made = {function for at, source in sources for function in d.program.resolve(at, source)}
            if made and made <= bots:
                moves.append((caller, call))
    return moves


def _name_turn(
    d: Decision, caller: Function, turn: list[Call], mine: list[Call], choices: dict[Call, list[Choice]]
) -> None:
    """The lines around a turn's calls are the other side's, as far as nothing of the agent's is in them."""
    kept = [*mine, *(source for one in mine for _, source, _ in choices[one])]
    reason = "the other side's turn: its move is chosen as the agent's is, and nothing is learned from it"
    for at in turn:
        first, last = _lines_around(caller, at, kept)
        lines = NamedFunction(caller.file, caller.qualname, first, last, ENV_OPPONENT, reason, True, None, ())
        if first and lines not in d.lines:
            d.lines.append(lines)


def _is_another_player(d: Decision, choice: Choice, mine: set[Function]) -> bool:
    """Whether a choice is made by an object of a class that is neither the game's nor the agent's."""
    kind = choice[2].kind
    players = {one.kind for one in mine}
    return kind is not None and kind not in d.env_classes and kind not in players and bool(mine)


def _nearest(caller: Function, call: Call, choices: list[Choice]) -> list[Choice]:
    """Of the choices that a step may be given, under one name, that which was made last before it, where both
    stand in the same branch."""
    before = [one for one in choices if one[0] is caller and one[1].order <= call.order]
    last = max((source.order for _, source, _ in before), default=0)
    nearest = [one for one in before if one[1].order == last]
    alike = nearest and all(source.conditional == call.conditional for _, source, _ in nearest)
    return nearest if alike else choices


def _beside_turns(d: Decision, sites: list[Site], found: list[Call]) -> list[Call]:
    """Other moves in the lines of such a turn: a bot that draws its moves, say."""
    return [call for caller, call in sites if call not in found and _is_in_turn(d, caller, call)]


def _is_in_turn(d: Decision, caller: Function, call: Call) -> bool:
    return any(
        one.file == caller.file and one.function == caller.qualname and one.first <= call.line <= one.last
        for one in d.lines
        if one.stage == ENV_OPPONENT and one.counted
    )


def _lines_around(at: Function, call: Call, mine: list[Call]) -> tuple[int, int]:
    """The lines of the smallest statement of a loop or a function with this call that has nothing of the
    agent's, or the call's own line; (0, 0) where that has."""
    around = [one for one in (*at.statements, *at.body) if one.first <= call.line <= one.last]
    smallest = min(around, key=lambda one: one.last - one.first, default=None)
    lines = (smallest.first, smallest.last) if smallest is not None else (call.line, call.line)
    for first, last in (lines, (call.line, call.line)):
        if not any(first <= one.line <= last for one in mine):
            return first, last
    return 0, 0


def _may_choose(d: Decision, choice: Choice, mine: set[Function]) -> bool:
    """Whether it can be a choice at all, and is no noise that is added to the agent's."""
    at, source, function = choice
    return function in mine or asks_network(d, function) or _is_called_so(at, source)


def _is_in_another_branch(choice: Choice, kept: list[Choice]) -> bool:
    """Whether a choice is made instead of the agent's: `if mine: move = pick(game)`, `else: move =
    reply(game)`. Then it is no noise that is added to that."""
    at, source, _ = choice
    named = _given_to(at, source)
    return bool(named) and any(
        one.conditional and source.conditional and one.loops == source.loops and named == _given_to(at, one)
        for _, one, _ in kept
    )


def _given_to(caller: Function, call: Call) -> set[str]:
    """The names that are given just what a call gives."""
    return {name for one in caller.assignments if one.direct is call for name in one.targets}


def _is_called_so(caller: Function, call: Call) -> bool:
    """Whether a name at a call is a word for the other side: its object, its arguments, its result."""
    names = {call.receiver, call.name, *call.keywords, *(name for names in call.arguments for name in names)}
    for one in caller.assignments:
        if call in one.value.calls:
            names |= set(one.targets)
        if one.each and set(one.targets) & names:
            names |= one.value.names
    return any(means(part, "opponent") for name in names for part in name.split("."))


def _is_kept(d: Decision, caller: Function, call: Call) -> bool:
    """Whether a result is put into a collection, an array, or given to what stores or learns."""
    held = {name for one in caller.assignments if call in one.value.calls for name in one.targets if name}
    held |= _records_with(d, caller, held)
    anew = {name: _set_anew(caller, call, name) for name in held}
    if any(value.names & held for elements in caller.returns for value in elements):
        return True
    for one in caller.assignments:
        values = one.elements or (one.value,) * len(one.targets)
        pairs = zip(one.targets, values, strict=False)
        if not one.each and any(
            value.name in held and one.order < anew[value.name] and target not in held
            for target, value in pairs
        ):
            return True  # `actions[t] = action`
    for told in caller.calls:
        given = frozenset().union(frozenset(), *told.arguments)
        users = d.program.resolve(caller, told)
        stores = told.name in PUTTING if not users else not d.stepping & set(users)
        fed = any(
            told.order < anew[name] and not _is_of_another(caller, call, name, told) for name in given & held
        )
        if told is not call and stores and fed:
            return True
    return False


def _records_with(d: Decision, caller: Function, held: set[str]) -> set[str]:
    """The records that are made with a choice: `turn = Turn(view, choice)`."""
    return {
        name
        for one in caller.assignments
        if one.direct is not None and d.program.is_class(caller, one.direct) not in (None, *d.env_classes)
        if held & frozenset().union(frozenset(), *one.direct.arguments)
        for name in one.targets
    }


def _is_of_another(caller: Function, call: Call, name: str, use: Call) -> bool:
    """Whether a name that is used before a call holds what another one has given it just there, in the same
    branch: `if mine: a = pick(); keep(a)` and `else: a = theirs()`."""
    before = [one for one in caller.assignments if name in one.targets and one.order <= use.order]
    last = max(before, key=lambda one: one.order, default=None)
    if use.order >= call.order or last is None or last.direct is None or last.direct is call:
        return False
    return last.loops == use.loops and last.direct.conditional == use.conditional


def _set_anew(caller: Function, call: Call, name: str) -> float:
    """From where on a name holds something else than what a call gave: another value that it always gets
    later in the same loop."""
    later = [
        one.order
        for one in caller.assignments
        if name in one.targets and one.order > call.order and one.loops == call.loops and not one.added
        if one.direct is not None and not one.direct.conditional and call.conditional
    ]
    return min(later, default=math.inf)
