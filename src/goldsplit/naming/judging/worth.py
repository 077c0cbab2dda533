"""Learning in the very loop that plays: what is told how good a choice was, each turn.

`worth = net.value(views)`, `net.adjust(before, worth[best])`. A count of visits or a running mean of what is
seen changes numbers there, too; those are told nothing that the choice or the outcome gave.
"""

from __future__ import annotations

from goldsplit.model.named_code import BY_PURPOSE
from goldsplit.model.stage import ACT, ACT_SEARCH, ACT_VALUE
from goldsplit.naming.decision import Decision
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.searching.next_states import leading_to
from goldsplit.naming.steps import outcome_names

#: An input and what it should have given.
_LEAST_TOLD = 2
_CHOOSING = (ACT, ACT_SEARCH, ACT_VALUE, BY_PURPOSE)


def is_told_worth(d: Decision, caller: Function, call: Call, changed: int = 0) -> bool:
    """Whether a call is given several things, one of them made of what the choice is made by, or of an
    outcome that nothing is chosen by: a reward, the end. `changed`: so many of them are the numbers that it
    changes."""
    if len(call.arguments) - changed < _LEAST_TOLD:
        return False
    acting = [
        one
        for one in caller.calls
        if any(d.stage_of(target) in _CHOOSING for target in d.program.resolve(caller, one))
    ]
    worth = {name for one in caller.assignments if set(one.value.calls) & set(acting) for name in one.targets}
    seen = {name for one in acting for names in one.arguments for name in names}
    for step in d.steps:
        for where, one in step.sites:
            worth |= (
                outcome_names(caller, one) - leading_to(caller, frozenset(seen)) if where is caller else set()
            )
    given = frozenset(name for names in call.arguments for name in names)
    return bool(leading_to(caller, given) & worth)
