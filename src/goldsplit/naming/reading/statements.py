"""One statement of a loop, of a condition or of a function, as facts."""

from __future__ import annotations

import ast

from goldsplit.naming.reading.code_facts import Call, Increment, Statement
from goldsplit.naming.reading.conditions import is_now_and_then, only_asks
from goldsplit.naming.reading.expressions import (
    PUTTING,
    added_to_itself,
    called_name,
    dotted,
    goes_backward,
    names_in,
    targets_of,
)


def in_loop(node: ast.stmt, loop: int, calls: tuple[Call, ...]) -> Statement:
    reads: set[str] = set()
    writes: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign):
            writes |= {name for target in inner.targets for name in targets_of(target)}
        elif isinstance(inner, ast.AugAssign | ast.AnnAssign | ast.For):
            writes |= set(targets_of(inner.target))
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            reads.add(inner.id)
        elif isinstance(inner, ast.Expr) and called_name(inner.value) in PUTTING:  # `seen.append(…)`
            writes |= set(targets_of(inner.value))
    is_long = any(isinstance(inner, ast.For | ast.While | ast.If) for inner in ast.walk(node))
    backward = isinstance(node, ast.For) and goes_backward(node.iter)
    last = node.end_lineno or node.lineno
    indexes = any(isinstance(inner, ast.Subscript) and _is_computed(inner) for inner in ast.walk(node))
    about = _about(node) if isinstance(node, ast.For) else frozenset()
    rare = isinstance(node, ast.If) and is_now_and_then(node.test)
    known = frozenset(reads), frozenset(writes)
    parts = frozenset(
        inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Load)
    )
    return Statement(node.lineno, last, loop, *known, calls, is_long, backward, indexes, rare, about, parts)


def _about(node: ast.For) -> frozenset[str]:
    """What a loop goes through: its names, and the texts in a condition that all of it is behind."""
    found = set(targets_of(node.target)) | names_in(node.iter)
    first = node.body[0]
    if isinstance(first, ast.If) and (len(node.body) == 1 or isinstance(first.body[-1], ast.Continue)):
        texts = (one.value for one in ast.walk(first.test) if isinstance(one, ast.Constant))
        found |= {text for text in texts if isinstance(text, str)}
    return frozenset(found)


def _is_computed(node: ast.Subscript) -> bool:
    """Whether something is read at a place that is no constant."""
    return isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Constant)


def increment(
    node: ast.Assign | ast.AugAssign, loops: tuple[int, ...], around: list[ast.expr]
) -> Increment | None:
    """`n += 1`, `n = n + 1`, `n += len(alive)`; None for any other value that a name gets. `around`: the
    conditions around it."""
    amount = added_to_itself(node)
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    of_many = isinstance(amount, ast.Call) and dotted(amount.func) in ("len", "sum")
    if not isinstance(target, ast.Name) or not (of_many or isinstance(amount, ast.Constant | ast.Name)):
        return None
    by_one = isinstance(amount, ast.Constant) and amount.value == 1
    return Increment(target.id, node.lineno, loops, by_one, bool(around), all(map(only_asks, around)))


def bound_by(node: ast.Assign | ast.AugAssign) -> set[str]:
    """The names that an assignment gives a value, or the first of several targets."""
    return set(targets_of(node.target if isinstance(node, ast.AugAssign) else node.targets[0]))


def changes_own(node: ast.AugAssign, self_name: str) -> bool:
    """Whether something that is no constant is added to an attribute of a method's own object."""
    if not isinstance(node.target, ast.Attribute | ast.Subscript) or isinstance(node.value, ast.Constant):
        return False
    return bool(self_name) and dotted(node.target).startswith(f"{self_name}.")
