"""A game, its policy and its learner in the lines of one loop, without functions and without a framework.

The anchor is the line that draws the action (`a = rng.choice(n, p=probs)`). What leads to it acts, up to the
first block that looks at the game; that observes. What changes the game afterwards is the step, what sets
it before the loop begins a game; what changes, outside of the loop, the numbers that acting reads learns.
"""

from __future__ import annotations

from dataclasses import replace

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ACT, ENV_OBSERVE, ENV_RESET, ENV_STEP, LEARN_LOSS
from goldsplit.naming.inline.inline_learning import part_of
from goldsplit.naming.reading.code_facts import Function, Statement
from goldsplit.naming.vocabulary import words_in

#: What draws an action, or takes the best one.
_DRAWING = words_in("argmax choice choices multinomial searchsorted")


def parts_of_policy(function: Function) -> list[NamedFunction]:
    """The parts of a loop that draws its actions in its own lines; nothing where there is none."""
    for statement in function.statements:
        draws = any(call.name in _DRAWING for call in statement.calls)
        if draws and not statement.is_long and not statement.now_and_then:
            after = [one for one in _beside(function, statement) if one.first > statement.last]
            used = any(one.is_long and one.reads & statement.writes for one in after)
            if used and _around(function, statement.loop) is not None:
                return _parts(function, statement)
    return []


def _beside(function: Function, statement: Statement) -> list[Statement]:
    """The other statements of its loop, in their order."""
    return [one for one in function.statements if one.loop == statement.loop and one is not statement]


def _around(function: Function, loop: int) -> Statement | None:
    """The statement of an outer loop that is this loop: one game."""
    return next((one for one in function.statements if one.first == loop), None)


def _parts(function: Function, drawing: Statement) -> list[NamedFunction]:
    beside = _beside(function, drawing)
    acting, seeing = _leading_to(drawing, [one for one in beside if one.last < drawing.first])
    shown = frozenset().union(frozenset(), *(one.reads for one in seeing))
    ends = function.loop_names.get(drawing.loop, frozenset())
    after = [one for one in beside if one.first > drawing.last]
    steps = [
        one for one in after if one.writes & (shown | ends) or (one.is_long and one.reads & drawing.writes)
    ]
    changed = frozenset().union(frozenset(), *(one.writes for one in steps))
    game = _around(function, drawing.loop)
    outer = [one for one in function.statements if game is not None and one.loop == game.loop]
    begins = [one for one in outer if game and one.last < game.first and one.writes & (changed | shown)]
    inside = frozenset().union(frozenset(), *(one.writes for one in (*beside, drawing)))
    weights = frozenset().union(frozenset(), *(one.reads for one in acting)) - inside
    learning = [one for one in outer if game and one.first > game.last and _changes(function, one, weights)]
    counters = _counters(function, drawing, game)
    return [
        *(part_of(function, one, ACT, "it leads to the line that draws the action") for one in acting),
        *(part_of(function, one, ENV_OBSERVE, "it makes what the action is drawn by") for one in seeing),
        *(
            replace(
                part_of(function, one, ENV_STEP, "it changes the game after the action"),
                own_counters=counters if place == 0 else ("", ""),
            )
            for place, one in enumerate(steps)
        ),
        *(part_of(function, one, ENV_RESET, "it sets what a step changes") for one in begins),
        *(part_of(function, one, LEARN_LOSS, "it changes what acting reads") for one in learning),
    ]


def _leading_to(drawing: Statement, before: list[Statement]) -> tuple[list[Statement], list[Statement]]:
    """What makes the action, line by line, and what that looks at: from the first block on, going back."""
    acting: list[Statement] = [drawing]
    seeing: list[Statement] = []
    wanted = drawing.reads
    for one in sorted(before, key=lambda one: -one.first):
        if one.writes & wanted:
            wanted |= one.reads
            (seeing if seeing or one.is_long else acting).append(one)
    return acting, seeing


def _changes(function: Function, statement: Statement, weights: frozenset[str]) -> bool:
    """Whether a statement changes one of these, also by another name (`for w, g in pairs: w -= g`)."""
    if statement.writes & weights:
        return True
    for one in function.assignments:
        here = any(statement.first <= loop <= statement.last for loop in one.loops)
        bound = [
            other.value.names
            for other in function.assignments
            if other.each and one.targets[0] in other.targets
        ]
        if one.added and here and frozenset().union(frozenset(), *bound) & weights:
            return True
    return False


def _counters(function: Function, drawing: Statement, game: Statement | None) -> tuple[str, str]:
    """The names in which the script counts its steps, in the loop of a game, and its games, beside it."""
    plain = [one for one in function.increments if one.by_one and not one.conditional]
    totals = [one for one in plain if one.name not in function.set_in_loops]
    steps = [one.name for one in totals if one.loops[-1:] == (drawing.loop,)]
    games = [one.name for one in totals if game is not None and one.loops[-1:] == (game.loop,)]
    return (steps[0], games[0] if games else "") if steps else ("", "")
