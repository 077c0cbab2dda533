"""Loops that keep the best one by hand: `if worth > best: best, place = worth, here`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from goldsplit.naming.reading.expressions import targets_of

_ORDER = ast.Lt | ast.LtE | ast.Gt | ast.GtE


def keeps_best(body: Iterable[ast.stmt]) -> bool:
    """Whether a loop keeps one of many things, as a comparison with the last one kept tells."""
    loops = [one for top in body for one in ast.walk(top) if isinstance(one, ast.For | ast.While)]
    return any(_keeps(one) for loop in loops for one in ast.walk(loop) if isinstance(one, ast.If))


def _keeps(node: ast.If) -> bool:
    """Behind the comparison the best value so far is set to the one that was compared, and with it another
    name: what has that value. Without the latter it is a bound, not a choice."""
    compared = [one for one in ast.walk(node.test) if isinstance(one, ast.Compare) and len(one.ops) == 1]
    for one in compared:
        sides = (one.left, one.comparators[0])
        names = {side.id for side in sides if isinstance(side, ast.Name)}
        written = {
            name
            for inner in node.body
            if isinstance(inner, ast.Assign)
            for target in inner.targets
            for name in targets_of(target)
        }
        if isinstance(one.ops[0], _ORDER) and names & written and written - names:
            return True
    return False
