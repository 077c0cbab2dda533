"""A game, its policy and its learner in the lines of one loop, without functions and without a framework.

The anchor is the line that chooses the action (`a = rng.choice(n, p=probs)`, or a draw in one branch and the
best one in the other). The lines that use the learned numbers for it act. What goes on from the action is
the game: its lines step, make what the next choice is made by, or what is learned from. What changes the
numbers that the choice reads learns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import (
    ACT,
    CHECKPOINT,
    ENV_OBSERVE,
    ENV_RESET,
    ENV_REWARD,
    ENV_STEP,
    EVAL,
    LEARN_LOSS,
    LEARN_RETURNS,
    LOG,
    REPLAY_ADD,
    REPLAY_SAMPLE,
)
from goldsplit.naming.inline.choice import Play, changes_weights, find_play, read_lines
from goldsplit.naming.inline.game_lines import SAVING, TELLING, Turn, is_aside, learning_after, read_turn
from goldsplit.naming.inline.inline_learning import lines_of
from goldsplit.naming.inline.script_counters import script_counters
from goldsplit.naming.reading.code_facts import Function
from goldsplit.naming.reading.line_tree import Line, Names

_NONE: Names = frozenset()
Found = Iterator[tuple[Line, str, str]]


def parts_of_policy(function: Function) -> list[NamedFunction]:
    """The parts of a loop that chooses its actions in its own lines; nothing where there is none."""
    if not function.loop_names:
        return []
    play = find_play(read_lines(function))
    if play is None:
        return []
    turn = read_turn(play)
    if not turn.step or not _learns(play):
        return []
    named = [*_of_the_turn(play, turn), *_around(play, turn), *_aside(play)]
    counters = script_counters(function, play, turn)
    found = []
    for line, stage, reason in named:
        part = lines_of(function, line.first, line.last, stage, reason)
        counted = counters if line is turn.step[0] else ("", "", "")
        found.append(replace(part, own_counters=counted) if stage == ENV_STEP else part)
    return found


def _learns(play: Play) -> bool:
    whole = play.around[0] if play.around else play.loop
    return changes_weights(whole, play)


def _of_the_turn(play: Play, turn: Turn) -> Found:
    for one in (*play.leading, play.choice):
        yield one, ACT, "it leads to the line that chooses the action"
    for one in turn.step:
        yield one, ENV_STEP, "it changes the game after the action"
    for one in turn.observe:
        yield one, ENV_OBSERVE, "it makes what the action is chosen by"
    for one in turn.reward:
        yield one, ENV_REWARD, "it makes the number that is learned from"
    for one in turn.begin:
        yield one, ENV_RESET, "it sets what a step changes, when a game is over"
    for one in turn.store:
        yield one, REPLAY_ADD, "it keeps the action with what belongs to it"
    for one in turn.learn:
        yield one, LEARN_LOSS, "it changes what acting reads, or leads to that"
    for one in turn.sample:
        yield one, REPLAY_SAMPLE, "it draws from what is kept"


def _around(play: Play, turn: Turn) -> Found:
    """The lines of the loops around: before a game it is begun, after it what was kept is learned from."""
    outer = [one for loop in play.around if loop.is_loop for one in loop.parts]
    outer = [one for one in outer if one not in play.around and one is not play.loop]
    rare = [one for one in outer if is_aside(one) and (one.last > play.loop.first or one.calls & TELLING)]
    outer = [one for one in outer if one not in rare]
    sees = frozenset().union(_NONE, *(one.sets for one in turn.observe)) | turn.seen
    acting = _first_actions(play, turn, outer)
    learning = [one for one in outer if changes_weights(one, play)]
    wanted = turn.state
    for one in sorted(outer, key=lambda one: -one.first):
        if one in learning or one.last > play.loop.first:
            continue
        if one in acting:
            yield one, ACT, "it leads to the first action"
        elif one.reads & play.used:
            yield one, LEARN_LOSS, "it makes what a game is played with"
        elif one.sets and one.sets <= sees and one.reads & turn.state and one.calls and one.places <= sees:
            yield one, ENV_OBSERVE, "it makes what the first action is chosen by"
        elif one.writes & wanted:
            wanted |= one.reads
            yield one, ENV_RESET, "it sets what a step changes"
    before = [one for one in learning if one.last < play.loop.first]
    for one in (*before, *learning_after(play)):
        backward = one.backward and not changes_weights(one, play)
        yield (
            one,
            LEARN_RETURNS if backward else LEARN_LOSS,
            ("it goes through an episode backward" if backward else "it changes what acting reads"),
        )


def _first_actions(play: Play, turn: Turn, outer: list[Line]) -> list[Line]:
    """The lines before a game that choose its first action, and that use the learned numbers for it."""
    made = play.used.union(*(one.sets for one in outer if one.reads & play.used))
    found: list[Line] = []
    wanted = turn.chosen
    for one in sorted(outer, key=lambda one: -one.first):
        if one.last < play.loop.first and one.writes & wanted and one.reads & made:
            found.append(one)
            wanted |= one.reads - play.weights
    return found


def _aside(play: Play) -> Found:
    """What is no part of playing and learning: tests, messages, files."""
    bodies = [*(one for loop in play.around for one in loop.parts), *play.loop.parts]
    for one in bodies:
        if one in play.around or one is play.loop or one is play.choice:
            continue
        plays = any(inner.is_loop and inner.reads & play.used for inner in one.inside())
        tests = one.rare and plays and not changes_weights(one, play)
        if tests:
            yield one, EVAL, "it plays only now and then there, and does not learn"
        elif one.rare and one.calls & TELLING and not changes_weights(one, play):
            yield one, LOG, "it tells how the training goes, now and then"
        for inner in one.inside():
            if inner.parts:
                continue
            if inner.calls & SAVING and inner.reads & play.used:
                yield inner, CHECKPOINT, "it writes what is learned into a file"
            elif inner.calls & TELLING and not tests:
                yield inner, LOG, "it tells how the training goes"
