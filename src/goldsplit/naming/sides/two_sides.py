"""One loop chooses for both sides: which choice is the agent's, and which is played against it?

`mine = pick(seen); theirs = pick(their_view, net=frozen); game.play(mine, theirs)`: what is stored or learned
from is the agent's. The other one may be made by the very same function; then its lines tell.
"""

from __future__ import annotations

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ENV_OPPONENT
from goldsplit.naming.decision import Decision, asks_network
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.vocabulary import means

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
    return [one for one in others if kept and _may_choose(d, one, mine)]


def name_other_side(d: Decision, others: list[Choice], mine: list[Choice]) -> None:
    """By its function if it is the other side's alone, by its lines if the agent uses it too."""
    for at, source, function in others:
        reason = "a step is given what it chooses, beside the agent's action; nothing is learned from it"
        if function not in {one for _, _, one in mine} and all(
            where is at for where, _ in d.program.callers.get(function, ())
        ):
            d.name(function, ENV_OPPONENT, reason)
            continue
        around = [one for one in (*at.statements, *at.body) if one.first <= source.line <= one.last]
        lines = min(around, key=lambda one: one.last - one.first, default=None)
        if lines is not None and not any(lines.first <= call.line <= lines.last for _, call, _ in mine):
            d.lines.append(
                NamedFunction(
                    at.file, at.qualname, lines.first, lines.last, ENV_OPPONENT, reason, own_counters=()
                )
            )


def _may_choose(d: Decision, choice: Choice, mine: set[Function]) -> bool:
    """Whether it can be a choice at all, and is no noise that is added to the agent's."""
    at, source, function = choice
    return function in mine or asks_network(d, function) or _is_called_so(at, source)


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
    if any(value.names & held for elements in caller.returns for value in elements):
        return True
    for one in caller.assignments:
        values = one.elements or (one.value,) * len(one.targets)
        pairs = zip(one.targets, values, strict=False)
        if not one.each and any(value.name in held and target not in held for target, value in pairs):
            return True  # `actions[t] = action`
    for told in caller.calls:
        given = frozenset().union(frozenset(), *told.arguments)
        users = d.program.resolve(caller, told)
        stores = told.name in PUTTING if not users else not d.stepping & set(users)
        if told is not call and given & held and stores:
            return True
    return False
