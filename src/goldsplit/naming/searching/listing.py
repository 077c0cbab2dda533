"""Moves, or what follows each of them, in a list of which a step gets one: `play(moves[best])`."""

from __future__ import annotations

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ENV_MASK, ENV_OBSERVE
from goldsplit.naming.decision import Decision, asks_network
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.sides.two_sides import Choice
from goldsplit.naming.steps import outcome_names

#: A choice is followed back through at most this many calls: `worth(net, [picture(one) for one in moves])`.
_FARTHEST = 3


def is_chosen_from(d: Decision, call: Call, pair: Choice, acting: list[Choice]) -> bool:
    """Whether a function only lists what another one chooses from: in `play(moves[best])`, where `best` was
    chosen by what came with the moves, or by what was made of them."""
    at, source, function = pair
    return is_picked_from(at, source, call) and any(
        (at, source) in _made_of(d, where, other)
        for where, other, chooser in acting
        if chooser is not function
    )


def is_picked_from(at: Function, source: Call, call: Call) -> bool:
    """Whether a step gets an element of what a call gave, at a place that was chosen: `play(moves[best])`."""
    held = {name for one in at.assignments if one.direct is source for name in one.targets}
    return any(len(names) > 1 and names & held for names in call.picked)


def lists_moves(d: Decision, at: Function, source: Call, function: Function) -> bool:
    """Whether a function that is no method of the game lists by its rules: it is shown the game or its state,
    and neither draws at random nor asks a network (that would be the agent's own proposals)."""
    given = frozenset().union(frozenset(), *source.arguments)
    owners = {name.rpartition(".")[0] or name for name in given}
    of_game = any(d.program.types_of(at, owner) & d.env_classes for owner in owners)
    told = {
        name
        for step in d.steps
        for where, call in step.sites
        if where is at
        for name in outcome_names(at, call)
    }
    inside = (function, *d.program.reached(function))
    draws = any(d.flow.chooses(one, call) for one in inside for call in one.calls)
    return (of_game or bool(given & told)) and not draws and not any(asks_network(d, one) for one in inside)


def put_together(d: Decision, at: Function, source: Call) -> list[NamedFunction]:
    """The line in which what is seen of each of many is made into one: `np.stack([see(one) for one in
    moves])`. Only where nothing else of the user's is called in it."""
    if not any("#" in name for names in source.arguments for name in names):
        return []  # a name that a comprehension binds
    lines = [one for one in (*at.body, *at.statements, *at.blocks) if source in one.calls and not one.is_long]
    reason = "it puts together what the choice of an action sees"
    return [
        NamedFunction(at.file, at.qualname, one.first, one.last, ENV_OBSERVE, reason, own_counters=())
        for one in lines[:1]
        if all(
            d.stage_of(target) in (ENV_OBSERVE, ENV_MASK)
            for call in one.calls
            for target in d.program.resolve(at, call)
        )
    ]


def _made_of(d: Decision, where: Function, call: Call) -> set[tuple[Function, Call]]:
    """The calls that made what a call is given, and what those were given."""
    found: set[tuple[Function, Call]] = set()
    waiting = [(where, call, 0)]
    while waiting:
        at, one, far = waiting.pop()
        names = frozenset().union(frozenset(), *one.arguments)
        before = [*((at, inner) for inner in one.inner), *d.flow.sources(at, names)]
        waiting += [(*pair, far + 1) for pair in before if pair not in found and far < _FARTHEST]
        found |= set(before)
    return found
