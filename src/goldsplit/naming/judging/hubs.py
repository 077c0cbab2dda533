"""A hub holds several games and steps each in its own loop. The game's step is the step; the hub only goes
through the games. It may leave out those that are over, and a call of it is many steps.

`for i, (game, a) in enumerate(zip(self.games, moves)): view, gain, over = game.play(a); views.append(view)`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.naming.reading.code_facts import Assignment, Call, Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.vocabulary import means

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program

FOR_EACH = "what it gives is kept for each of many games"
#: A step tells at least what is seen, what it earned and whether the game is over; of a piece of a game these
#: would be added up.
_LEAST_PARTS, _LEAST_KEPT = 3, 2


def end_for_each(caller: Function, call: Call, assignment: Assignment) -> int | None:
    """The place in a result that is kept as the end of each of many games that a loop goes through; None:
    it is no step of a hub."""
    each = {name for one in caller.assignments if one.each for name in one.targets}
    told = frozenset().union(frozenset(), *call.arguments) & each
    if not call.loops or len(assignment.targets) < _LEAST_PARTS or call.receiver not in each or not told:
        return None
    kept = {place: _kept_in(caller, call, name) for place, name in enumerate(assignment.targets) if name}
    kept = {place: names for place, names in kept.items() if names}
    ends = [place for place, names in kept.items() if any(means(name, "done") for name in names)]
    return ends[0] if ends and len(kept) >= _LEAST_KEPT else None


def _kept_in(caller: Function, call: Call, name: str) -> set[str]:
    """The collections that a part of the result is put into, in the same loop: `overs.append(over)`,
    `self.over[i] = over`."""
    found = {
        one.receiver
        for one in caller.calls
        if one.name in PUTTING and one.loops == call.loops and one.arguments[-1:] == (frozenset({name}),)
    }
    for one in caller.assignments:
        if one.loops == call.loops and one.key and one.value.name == name:
            found |= set(one.targets)
    return found - {""}


def given_to_each(program: Program, hub: Function, call: Call) -> list[tuple[Function, Call]]:
    """The calls, in loops, that give a hub the choices for all of its games, of which each game's step gets
    one: `for game, move in zip(self.games, moves): game.play(move)`, and `table.play_all(moves)`."""
    told = frozenset().union(frozenset(), *call.arguments)
    each = [one for one in hub.assignments if one.each]
    taken = [one for one in each if told & set(one.targets)]
    beside = any(call.receiver in one.targets for one in each)  # a game with each choice
    parameters = set(hub.parameters) & frozenset().union(frozenset(), *(one.value.names for one in taken))
    if not call.loops or not beside or not parameters:
        return []
    return [site for site in program.callers.get(hub, ()) if site[1].loops and site[1].arguments]
