"""A learner in the lines of a loop, without a function of its own: which lines lead to an update."""

from __future__ import annotations

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import LEARN_LOSS, LEARN_RETURNS, REPLAY_SAMPLE
from goldsplit.naming.decision import Decision
from goldsplit.naming.forward import is_forward
from goldsplit.naming.reading.code_facts import Call, Function, Statement
from goldsplit.naming.vocabulary import words_in

#: A longer block does more than updating.
_LONGEST_BLOCK = 12
_OF_UPDATES = frozenset({LEARN_LOSS, LEARN_RETURNS, REPLAY_SAMPLE})
_TELLING = words_in("dump print save savez write writerow")
#: What draws places at random.
_DRAWING = words_in("choice choices integers permutation randint randperm sample shuffle")
#: What takes some of many; the order of a whole rollout is no drawing.
_PICKING = words_in("choice choices integers randint sample")


def parts_of_learning(d: Decision, function: Function) -> list[NamedFunction]:
    """From the network's forward pass to the backward pass; what goes through an episode before it; what
    takes a batch out of arrays."""
    if function in d.learning:  # all of it is an update, but for what draws a batch
        rows = [*function.body, *function.statements]
        return [
            part_of(function, one, REPLAY_SAMPLE, "it draws a batch")
            for one in drawn_in_update(d, function, rows)
        ]
    found = []
    learning_ones = [one for one in function.statements if learns(one)]
    for last in [one for one in learning_ones if not has_inside(one, learning_ones)]:
        whole = [one for one in function.statements if one.loop == last.loop]
        if d.steps and not any(_plays(d, function, one) for one in whole):
            reason = "in the loop of the updates"
            found += [part_of(function, one, LEARN_LOSS, reason) for one in whole if not _draws(one)]
            found += [
                part_of(function, one, REPLAY_SAMPLE, "it draws a batch") for one in whole if _draws(one)
            ]
            continue
        beside = [one for one in whole if one.first < last.first]
        asking = [one for one in beside if any(is_forward(d, function, call) for call in one.calls)]
        asking = [one for one in asking if not any(call.no_grad for call in one.calls)]
        first = asking[0].first if asking else last.first
        learning = [one for one in beside if one.first >= first and not one.is_long]
        found += [
            part_of(function, one, LEARN_LOSS, "it leads to a backward pass") for one in [*learning, last]
        ]
    found += [
        part_of(function, one, LEARN_LOSS, "a backward pass is in it, and no step")
        for one in learning_ones
        if one.is_long and not _plays(d, function, one) and _plays_beside(d, function, one)
    ]
    if learning_ones:
        reason = "it goes through an episode backward"
        found += [
            lines_of(function, first, last, LEARN_RETURNS, reason) for first, last in function.backward_loops
        ]
    batches = dict.fromkeys(one for call in function.calls for one in _batch_of(d, function, call))
    found += [part_of(function, one, REPLAY_SAMPLE, "it takes an update's batch") for one in batches]
    return found


def lines_around_updates(d: Decision, function: Function) -> list[NamedFunction]:
    """Short blocks of a loop in which an update is called and nothing else of the user's but what prepares
    it: the lines that put its rows together are a part of it."""
    found = []
    for one in function.statements:
        called = {target for call in one.calls for target in d.program.resolve(function, call)}
        known = {d.stage_of(target) for target in called}
        short = one.is_long and one.last - one.first < _LONGEST_BLOCK and not _talks(one)
        if called & (d.learning | d.taught) and short and known <= _OF_UPDATES:
            found.append(part_of(function, one, LEARN_LOSS, "an update, and what puts its rows together"))
    return found


def _talks(statement: Statement) -> bool:
    """Whether a statement tells the user something, or saves."""
    return any(call.name in _TELLING for call in statement.calls)


def _plays(d: Decision, function: Function, statement: Statement) -> bool:
    """Whether a statement steps, or has a step inside."""
    called = {one for call in statement.calls for one in d.program.resolve(function, call)}
    return any(one in d.stepping or d.stepping & d.program.reached(one) for one in called)


def _plays_beside(d: Decision, function: Function, statement: Statement) -> bool:
    """Whether the loop of a statement has a step in another one of its statements."""
    beside = [one for one in function.statements if one.loop == statement.loop and one is not statement]
    return any(_plays(d, function, one) for one in beside)


def _draws(statement: Statement) -> bool:
    """Whether a statement draws some of many at random."""
    return any(call.name in _DRAWING and call.arguments for call in statement.calls) and not learns(statement)


def drawn_in_update(d: Decision, function: Function, rows: list[Statement]) -> list[Statement]:
    """The statements of an update that draw rows and put a batch together, before a network is asked."""
    found = []
    for loop in dict.fromkeys(one.loop for one in rows):
        drawn: frozenset[str] = frozenset()
        for one in rows:
            if one.loop != loop:
                continue
            asks = any(is_forward(d, function, call) or d.flow.chooses(function, call) for call in one.calls)
            drawing = any(call.name in _PICKING and len(call.arguments) >= 2 for call in one.calls)
            if drawing and not one.is_long and not learns(one):
                drawn |= one.writes
                found.append(one)
            elif asks or learns(one) or one.is_long:
                if drawn:
                    break
            elif one.reads & drawn:
                drawn |= one.writes
                found.append(one)
    return found


def _batch_of(d: Decision, function: Function, update: Call) -> list[Statement]:
    """The lines before an update, in its own loop, that take what it is given out of arrays."""
    if not update.loops or not set(d.program.resolve(function, update)) & d.learning:
        return []
    wanted = frozenset().union(frozenset(), *update.arguments)
    wanted = frozenset(name.partition(".")[0] for name in wanted)
    before = [
        one
        for one in function.statements
        if one.loop == update.loops[-1] and one.last < update.line and not one.is_long
    ]
    found = []
    for one in reversed(before):
        own = any(d.program.resolve(function, call) for call in one.calls)
        draws = any(call.name in _DRAWING for call in one.calls)
        if one.writes & wanted and not own and (one.indexes or draws):
            found.append(one)
            wanted |= one.reads
    return found


def has_inside(statement: Statement, others: list[Statement]) -> bool:
    """Whether one of the others lies inside a statement: then that one is meant."""
    return any(
        statement.first <= one.first and one.last <= statement.last for one in others if one is not statement
    )


def learns(statement: Statement) -> bool:
    """Whether a backward pass is in a statement."""
    return any(call.name == "backward" for call in statement.calls)


def part_of(function: Function, statement: Statement, stage: str, reason: str) -> NamedFunction:
    """Some lines of a function, with their stage."""
    return lines_of(function, statement.first, statement.last, stage, reason)


def lines_of(function: Function, first: int, last: int, stage: str, reason: str) -> NamedFunction:
    """The same by their numbers."""
    return NamedFunction(function.file, function.qualname, first, last, stage, reason, own_counters=())
