"""An update behind a condition of the loop that plays: `if steps % 4 == 0:`, and all of it in these lines.

The block learns as a whole. Inside it, what draws a batch samples, and what goes through the rows one by one
with the answers of a network that is not learned (`r + gamma * v for r, v in zip(rewards, values)`) computes
returns.
"""

from __future__ import annotations

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import LEARN_RETURNS, REPLAY_SAMPLE
from goldsplit.naming.decision import Decision
from goldsplit.naming.forward import is_forward
from goldsplit.naming.inline.inline_learning import drawn_in_update, learns, part_of
from goldsplit.naming.reading.code_facts import Function, Statement


def parts_of_blocks(d: Decision, function: Function) -> list[NamedFunction]:
    """The parts of updates that stand behind a condition, in a function that plays too."""
    found: list[NamedFunction] = []
    for around in dict.fromkeys(one.loop for one in function.blocks if learns(one) and not one.is_long):
        rows = [one for one in function.blocks if one.loop == around]
        drawn = drawn_in_update(d, function, rows)
        found += [part_of(function, one, REPLAY_SAMPLE, "it draws a batch") for one in drawn]
        reason = "it makes what is learned towards, row by row"
        found += [part_of(function, one, LEARN_RETURNS, reason) for one in _row_by_row(d, function, rows)]
    return found


def _row_by_row(d: Decision, function: Function, rows: list[Statement]) -> list[Statement]:
    """The statements that go through the answers of a network, which was asked without gradients, one by
    one."""
    answers: frozenset[str] = frozenset()
    learned: frozenset[str] = frozenset()
    found = []
    for one in rows:
        asked = [call for call in one.calls if is_forward(d, function, call)]
        if asked:
            free = all(call.no_grad for call in asked)
            answers, learned = (answers | one.writes, learned) if free else (answers, learned | one.writes)
        elif one.reads & answers and not one.reads & learned and not learns(one):
            answers |= one.writes
            if _is_loop(function, one) or any("#" in name for name in one.reads):
                found.append(one)
    return found


def _is_loop(function: Function, statement: Statement) -> bool:
    return statement.first in function.loop_names
