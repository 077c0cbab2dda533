"""Loops in expressions: `results = [step(game, move) for game, move in zip(games, moves)]`.

Their names are their own: an `x` in one has nothing to do with an `x` in another one of the same function.
"""

from __future__ import annotations

import ast

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
#: What only writes a collection in another way.
_KEEPING = frozenset({"list", "tuple", "zip"})


def give_own_names(tree: ast.AST) -> None:
    """Rename what comprehensions bind, so that each name stands for one thing: `x` becomes `x#3`."""
    number = 0
    for node in ast.walk(tree):  # outer ones first
        if not isinstance(node, COMPREHENSIONS):
            continue
        number += 1
        targets = [one for part in node.generators for one in ast.walk(part.target)]
        bound = {one.id for one in targets if isinstance(one, ast.Name)}
        outside = set(ast.walk(node.generators[0].iter))
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and one.id in bound and one not in outside:
                one.id = f"{one.id}#{number}"


def made_by(node: ast.expr) -> ast.Call | None:
    """The call whose result a value is, or each element of it: of `list(f(x) for x in y)` and of
    `zip(*[f(x) for x in y])` it is `f(x)`."""
    if isinstance(node, ast.Await | ast.Starred):
        return made_by(node.value)
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return made_by(node.elt)
    if not isinstance(node, ast.Call):
        return None
    keeps = isinstance(node.func, ast.Name) and node.func.id in _KEEPING and len(node.args) == 1
    if keeps and isinstance(node.args[0], ast.ListComp | ast.GeneratorExp | ast.Starred):
        return made_by(node.args[0])
    if keeps and isinstance(node.args[0], ast.Call) and made_by(node.args[0]) is not node.args[0]:
        return made_by(node.args[0])
    return node
