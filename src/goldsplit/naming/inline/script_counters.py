"""The names in which a script without functions counts its own steps, episodes and updates."""

from __future__ import annotations

from goldsplit.naming.inline.choice import Play, changes_weights
from goldsplit.naming.inline.game_lines import Turn
from goldsplit.naming.reading.code_facts import MODULE, Function, Increment
from goldsplit.naming.vocabulary import means


def script_counters(function: Function, play: Play, turn: Turn) -> tuple[str, str, str]:
    """Steps, episodes and updates; "" for what the script does not count at a place that tells it."""
    if function.qualname != MODULE:
        return "", "", ""  # only a module's own names can be read while it runs
    totals = [one for one in function.increments if one.name not in function.set_in_loops]
    if play.choice.is_loop or any(one.is_loop and one.header & turn.chosen for one in turn.step):
        steps, games = _of_many(play, turn, totals)
    else:
        steps, games = _of_one(play, [one for one in totals if one.by_one])
    totals = [one for one in totals if one.by_one]
    updates = _updates(play, totals, {one.name for one in (*steps, *games)})
    steps = [one for one in steps if one.name != updates] or steps
    steps.sort(key=lambda one: not means(one.name, "step"))
    if not steps:
        return "", "", ""
    return steps[0].name, games[0].name if games else "", updates


def _of_one(play: Play, totals: list[Increment]) -> tuple[list[Increment], list[Increment]]:
    """What counts turns, and what counts games, where one game is played at a time."""
    own = play.loop.first
    around = [one.first for one in play.around if one.is_loop]
    steps = [one for one in totals if one.loops[-1:] == (own,) and not one.conditional]
    games = [one for one in totals if around and one.loops[-1:] == (around[-1],) and not one.conditional]
    games += [one for one in totals if one.loops[-1:] == (own,) and one.conditional and one.asked]
    return steps, games


def _of_many(play: Play, turn: Turn, totals: list[Increment]) -> tuple[list[Increment], list[Increment]]:
    """The same of many games beside each other: `steps += len(alive)`, or one by one in their loop."""
    own = play.loop.first
    each = {one.first for one in turn.step if one.is_loop}
    steps = [one for one in totals if one.loops[-1:] == (own,) and not one.by_one and not one.conditional]
    inside = [one for one in totals if one.loops[-2:-1] == (own,) and one.loops[-1] in each and one.by_one]
    steps += [one for one in inside if not one.conditional]
    return steps, [one for one in inside if one.conditional and one.asked]


def _updates(play: Play, totals: list[Increment], others: set[str]) -> str:
    """A name that is counted up beside each change of what is learned, and nowhere else; best one that counts
    nothing else."""
    whole = play.around[0] if play.around else play.loop
    bodies = [one.parts for one in whole.inside() if one.parts]
    changing = [(body, any(not one.parts and changes_weights(one, play) for one in body)) for body in bodies]
    learning = [body for body, changes in changing if changes]
    names = dict.fromkeys(one.name for one in totals)
    for name in sorted(names, key=lambda name: (name in others, means(name, "step"))):
        lines = {one.line for one in totals if one.name == name}
        beside = [body for body in learning if lines & {one.first for one in body}]
        counted = {one.first for body in beside for one in body} & lines
        if counted == lines and len(beside) == len(learning):
            return name
    return ""
