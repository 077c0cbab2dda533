"""A memory by what its class does, whatever it is called: one method keeps what it is given in an attribute,
another draws from that at random.

`self.rows.append(row)` and `random.sample(self.rows, n)`; `self.seen[self.at] = …; self.full = min(…)` and
`np.random.randint(self.full, size=n)`.
"""

from __future__ import annotations

from goldsplit.naming.reading.code_facts import Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.vocabulary import words_in

_DRAWING = words_in("choice choices integers permutation randint randperm sample")


def draws_kept(function: Function, beside: list[Function]) -> bool:
    """Whether a method draws from what another method of its class keeps."""
    return any(keeps_for(one, function) for one in beside)


def keeps_for(function: Function, drawing: Function) -> bool:
    """Whether a method keeps what it is given in what another method of its class draws from."""
    return bool(function.parameters) and bool(_changed_by(function) & _drawn_by(drawing))


def _drawn_by(function: Function) -> set[str]:
    """The attributes in whose length, or in which, a method draws at random."""
    drawing = [call for call in function.calls if call.name in _DRAWING]
    return {
        name.removeprefix(f"{function.self_name}.")
        for call in drawing
        for names in call.arguments
        for name in names
        if function.self_name and name.startswith(f"{function.self_name}.")
    }


def _changed_by(function: Function) -> set[str]:
    """The attributes that a method puts something into, or sets."""
    named = {call.receiver for call in function.calls if call.name in PUTTING}
    named |= {target for one in function.assignments for target in one.targets}
    own = f"{function.self_name}."
    return {name.removeprefix(own) for name in named if function.self_name and name.startswith(own)}
