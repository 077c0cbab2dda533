"""A game and its learner written into one loop, without functions: which lines are which.

Around two anchors: a network that is asked without gradients acts, and a backward pass learns. What writes
the network's input observes; what reads its answer afterwards, and is more than a line, is the step.
"""

from __future__ import annotations

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import (
    ACT,
    ENV_OBSERVE,
    ENV_RESET,
    ENV_STEP,
    LEARN_LOSS,
    LEARN_RETURNS,
)
from goldsplit.naming.code_facts import Call, Function, Statement
from goldsplit.naming.decision import Decision


def inline_parts(d: Decision) -> list[NamedFunction]:
    """The parts of loops that play, where no function is a step."""
    if d.steps:
        return []
    found: list[NamedFunction] = []
    for function in d.program.functions:
        acting = [one for one in function.statements if _asks_network(d, function, one)]
        for statement in acting:
            if not _has_inside(statement, acting):
                found += _parts_of_play(function, statement)
        found += _parts_of_learning(d, function)
    return found


def _asks_network(d: Decision, function: Function, statement: Statement) -> bool:
    asked = [call for call in statement.calls if call.no_grad and _is_forward(d, function, call)]
    return bool(asked) and not any(call.name == "backward" for call in statement.calls)


def _is_forward(d: Decision, function: Function, call: Call) -> bool:
    return any(one.name in ("forward", "__call__") for one in d.program.resolve(function, call))


def _parts_of_play(function: Function, acting: Statement) -> list[NamedFunction]:
    """The statements beside the one that acts, in the same loop."""
    beside = [one for one in function.statements if one.loop == acting.loop and one is not acting]
    before = [one for one in beside if one.last < acting.first]
    after = [one for one in beside if one.first > acting.last and not _learns(one)]
    shown = frozenset().union(frozenset(), *(names for call in acting.calls for names in call.arguments))
    seeing = [one for one in before if one.writes & shown]
    steps = [one for one in after if one.is_long and one.reads & acting.writes and not one.goes_backward]
    changed = frozenset().union(frozenset(), *(one.writes for one in steps))
    beginning = [one for one in before if one.is_long and one not in seeing and one.writes & changed]
    return [
        _part(function, acting, ACT, "a network is asked there without gradients"),
        *(_part(function, one, ENV_OBSERVE, "it makes what the network is shown") for one in seeing),
        *(_part(function, one, ENV_STEP, "it uses the network's answer") for one in steps),
        *(_part(function, one, ENV_RESET, "it sets what a step changes") for one in beginning),
    ]


def _parts_of_learning(d: Decision, function: Function) -> list[NamedFunction]:
    """From the network's forward pass to the backward pass, and what goes through an episode before it."""
    found = []
    learning_ones = [one for one in function.statements if _learns(one)]
    for last in [one for one in learning_ones if not _has_inside(one, learning_ones)]:
        beside = [one for one in function.statements if one.loop == last.loop and one.first < last.first]
        asking = [one for one in beside if any(_is_forward(d, function, call) for call in one.calls)]
        asking = [one for one in asking if not any(call.no_grad for call in one.calls)]
        first = asking[0].first if asking else last.first
        learning = [one for one in beside if one.first >= first and not one.is_long]
        found += [
            _part(function, one, LEARN_LOSS, "it leads to a backward pass") for one in [*learning, last]
        ]
        returns = [one for one in beside if one.goes_backward]
        found += [
            _part(function, one, LEARN_RETURNS, "it goes through an episode backward") for one in returns
        ]
    return found


def _has_inside(statement: Statement, others: list[Statement]) -> bool:
    """Whether one of the others lies inside a statement: then that one is meant."""
    return any(
        statement.first <= one.first and one.last <= statement.last for one in others if one is not statement
    )


def _learns(statement: Statement) -> bool:
    return any(call.name == "backward" for call in statement.calls)


def _part(function: Function, statement: Statement, stage: str, reason: str) -> NamedFunction:
    return NamedFunction(function.file, function.qualname, statement.first, statement.last, stage, reason)
