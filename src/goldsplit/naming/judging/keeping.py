"""A memory by what its class does, whatever it is called: one method keeps what it is given in an attribute,
another draws from that at random.

`self.rows.append(row)` and `random.sample(self.rows, n)`; `self.seen[self.at] = …; self.full = min(…)` and
`np.random.randint(self.full, size=n)`. Or, however the places are drawn (by a tree of sums, say), one method
puts into several arrays what another takes out of them.
"""

from __future__ import annotations

import ast

from goldsplit.naming.reading.code_facts import Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.vocabulary import words_in

_DRAWING = words_in("choice choices integers permutation randint randperm sample")


#: Arrays that one method fills and another takes something out of: with fewer it may be a game's board.
_LEAST_ARRAYS = 2


def draws_kept(function: Function, beside: list[Function]) -> bool:
    """Whether a method draws from what another method of its class keeps."""
    return any(keeps_for(one, function) for one in beside)


def keeps_for(function: Function, drawing: Function) -> bool:
    """Whether a method keeps what it is given in what another method of its class draws from."""
    if not function.parameters:
        return False
    if _changed_by(function) & _drawn_by(drawing):
        return True
    filled = _at_places(function, ast.Store) & _at_places(drawing, ast.Load)
    return len(filled) >= _LEAST_ARRAYS and bool(drawing.returns) and not _at_places(drawing, ast.Store)


def _at_places(function: Function, how: type[ast.expr_context]) -> set[str]:
    """The attributes with places that a method takes something out of, or puts something into."""
    return {
        node.value.attr
        for statement in function.source
        for node in ast.walk(statement)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, how)
        and not isinstance(node.slice, ast.Constant)
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id == function.self_name != ""
    }


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
