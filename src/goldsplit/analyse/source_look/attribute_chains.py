"""Chains of attributes (`self.game.board.size`) that a loop follows anew in each turn, although nothing in it
changes them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

#: Look-ups in a chain: `self.size` and `self.game.size` are too short to matter.
LEAST_LINKS = 3
#: The part of a line's work that must be such look-ups.
LEAST_PART = 0.5

_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_WORK = (ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.Compare, ast.UnaryOp, ast.BoolOp, ast.IfExp)
_NO_WORK = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


def long_chains(function: ast.AST) -> list[tuple[int, float]]:
    """Lines inside loops, and the part of each line's work that a name before the loop would save."""
    found: dict[int, float] = {}
    for loop in ast.walk(function):
        if isinstance(loop, (*_LOOPS, *_COMPREHENSIONS)):
            for line, part in _lines_in(loop):
                found[line] = max(part, found.get(line, 0.0))
    return [(line, part) for line, part in sorted(found.items()) if part >= LEAST_PART]


def _lines_in(loop: ast.AST) -> Iterator[tuple[int, float]]:
    """Each line that the loop repeats, and which part of its work are look-ups that could be kept."""
    repeated = list(_repeated(loop))
    changed = {name for node in repeated for name in _assigned(node)} | set(_targets(loop))
    work: dict[int, int] = defaultdict(int)
    spared: dict[int, int] = defaultdict(int)
    for node in repeated:
        for inner in ast.walk(node):
            line = getattr(inner, "lineno", 0)
            if isinstance(inner, _WORK) and isinstance(getattr(inner, "ctx", ast.Load()), ast.Load):
                work[line] += 1
        for chain in _outermost_chains(node):
            text = ast.unparse(chain)
            links = text.split(".")
            prefixes = {".".join(links[:end]) for end in range(1, len(links) + 1)}
            if len(links) > LEAST_LINKS and not prefixes & changed:
                spared[chain.lineno] += len(links) - 1
    for line, count in work.items():
        if spared[line]:
            yield line, spared[line] / max(count, 1)


def _repeated(loop: ast.AST) -> Iterator[ast.AST]:
    if isinstance(loop, ast.While):
        yield loop.test
    if isinstance(loop, _LOOPS):
        yield from loop.body
    else:
        yield from (child for child in ast.iter_child_nodes(loop) if not isinstance(child, ast.comprehension))
        for number, inner in enumerate(getattr(loop, "generators", ())):
            yield from inner.ifs
            if number:
                yield inner.iter


def _targets(loop: ast.AST) -> Iterator[str]:
    """Names that the loop itself gives values to."""
    targets = [loop.target] if isinstance(loop, ast.For | ast.AsyncFor) else []
    targets += [inner.target for inner in getattr(loop, "generators", ())]
    for target in targets:
        yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _assigned(node: ast.AST) -> Iterator[str]:
    """Names and attributes that are given a value somewhere in a statement."""
    for inner in ast.walk(node):
        stored = isinstance(getattr(inner, "ctx", None), ast.Store | ast.Del)
        if stored and isinstance(inner, ast.Name | ast.Attribute):
            yield ast.unparse(inner)


def _outermost_chains(node: ast.AST, inside: bool = False) -> Iterator[ast.Attribute]:
    """Attributes of attributes of a name, each chain once; of a method call, what it is called on."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from _outermost_chains(node.func.value)
        for child in (*node.args, *node.keywords):
            yield from _outermost_chains(child)
        return
    is_chain = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _is_plain(node)
    if is_chain and isinstance(node, ast.Attribute) and not inside:
        yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _NO_WORK):
            yield from _outermost_chains(child, inside=is_chain)


def _is_plain(node: ast.AST) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
