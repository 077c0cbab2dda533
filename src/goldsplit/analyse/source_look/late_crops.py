"""Where a function makes whole pictures floats and keeps a part of them only afterwards.

What is converted is followed from name to name, out of functions that return it and into those that call
them, until a slice with steps thins it out: then less than half is left, whatever the sizes are. A slice with
bounds alone says nothing here, since the source does not tell how large the picture was.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef
#: The function that a call is of, where that is known.
Resolve = Callable[[ast.Call], Function | None]

#: Calls without a type that give floats.
_FLOATING = frozenset({"float", "double", "FloatTensor", "DoubleTensor", "float32", "float64"})
#: Calls that give floats if an argument says so.
_TYPED = frozenset({"astype", "to", "type", "as_tensor", "tensor", "asarray", "array"})
#: Bytes divided by these are pixels on their way to floats.
_PIXEL_RANGES = frozenset({255, 256, 127.5})
#: Calls within calls that are followed.
DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Thinned:
    """Whole pictures were worked on as floats, on these lines."""

    crop: int
    """The line that keeps a part only."""
    lines: tuple[int, ...]
    """All lines on which whole pictures are handled, that one included."""


@dataclass(slots=True)
class _Flow:
    """What is known of names while the statements of a function are read in order."""

    resolve: Resolve
    depth: int
    whole: set[str] = field(default_factory=set)
    """Names that hold whole pictures as floats."""
    lines: set[int] = field(default_factory=set)
    crop: int | None = None
    returns_whole: bool = False


def thinned_late(function: Function, resolve: Resolve) -> Thinned | None:
    """How a function thins out what was made floats before, in it or in functions that it calls."""
    flow = _Flow(resolve, DEEPEST)
    _follow(function.body, flow)
    return Thinned(flow.crop, tuple(sorted(flow.lines))) if flow.crop is not None else None


def gives_floats(function: Function, resolve: Resolve, depth: int) -> bool:
    """Whether a function returns whole pictures that it, or one that it calls, has made floats."""
    flow = _Flow(resolve, depth)
    _follow(function.body, flow)
    return flow.returns_whole


def _follow(body: list[ast.stmt], flow: _Flow) -> None:
    for statement in body:
        for part in _own_expressions(statement):
            _see_crop(part, flow)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                _assign(target, _is_whole(statement.value, flow), statement.value, flow)
        elif isinstance(statement, ast.AugAssign) and _is_whole(statement.value, flow):
            _assign(statement.target, True, statement.value, flow)
        elif isinstance(statement, ast.Return) and statement.value is not None:
            flow.returns_whole |= _is_whole(statement.value, flow)
        elif isinstance(statement, ast.Expr):
            _see_append(statement.value, flow)
        elif isinstance(statement, ast.For | ast.AsyncFor) and _is_whole(statement.iter, flow):
            _assign(statement.target, True, statement.iter, flow)
        for inner in ("body", "orelse", "finalbody"):
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                _follow(getattr(statement, inner, []), flow)


def _own_expressions(statement: ast.stmt) -> list[ast.expr]:
    return [one for one in ast.iter_child_nodes(statement) if isinstance(one, ast.expr)]


def _assign(target: ast.expr, whole: bool, value: ast.expr, flow: _Flow) -> None:
    name = ast.unparse(target)
    if not whole:
        flow.whole.discard(name)
        return
    flow.whole.add(name)
    flow.lines.update(range(target.lineno, (value.end_lineno or value.lineno) + 1))


def _see_append(value: ast.expr, flow: _Flow) -> None:
    """`frames.append(frame.float())`: the list has whole pictures now."""
    call = value if isinstance(value, ast.Call) else None
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "append":
        return
    if any(_is_whole(one, flow) for one in call.args):
        _assign(call.func.value, True, value, flow)


def _see_crop(expression: ast.expr, flow: _Flow) -> None:
    for node in ast.walk(expression):
        if isinstance(node, ast.Subscript) and _thins(node) and _is_whole(node.value, flow):
            flow.crop = node.lineno
            flow.lines.add(node.lineno)


def _is_whole(expression: ast.expr, flow: _Flow) -> bool:
    """Whether an expression is, or is computed from, whole pictures as floats."""
    if isinstance(expression, ast.Subscript):
        return not _thins(expression) and _is_whole(expression.value, flow)
    if isinstance(expression, ast.ListComp | ast.GeneratorExp):
        return _is_whole(expression.elt, flow) or any(
            _is_whole(one.iter, flow) for one in expression.generators
        )
    if isinstance(expression, ast.Name | ast.Attribute) and ast.unparse(expression) in flow.whole:
        return True
    if isinstance(expression, ast.Call):
        return _call_is_whole(expression, flow)
    if isinstance(expression, ast.BinOp):
        scaled = isinstance(expression.op, ast.Div) and _is_pixel_range(expression.right)
        return (scaled and not _holds_crop(expression.left)) or _any_whole(expression, flow)
    return isinstance(
        expression, ast.UnaryOp | ast.Tuple | ast.List | ast.IfExp | ast.Starred
    ) and _any_whole(expression, flow)


def _call_is_whole(call: ast.Call, flow: _Flow) -> bool:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = [*call.args, *(one.value for one in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        given.append(call.func.value)
    if any(_is_whole(one, flow) for one in given):
        return True
    if any(_holds_crop(one) for one in given):
        return False
    if called in _FLOATING and not isinstance(call.func, ast.Name):
        return True
    if called in _TYPED and any("float" in ast.unparse(one) for one in given):
        return True
    known = flow.resolve(call) if flow.depth else None
    return known is not None and gives_floats(known, flow.resolve, flow.depth - 1)


def _any_whole(expression: ast.expr, flow: _Flow) -> bool:
    return any(_is_whole(one, flow) for one in ast.iter_child_nodes(expression) if isinstance(one, ast.expr))


def _holds_crop(expression: ast.expr) -> bool:
    """Whether a part was taken already: what is converted then is no whole picture."""
    return any(isinstance(one, ast.Subscript) and _cuts(one) for one in ast.walk(expression))


def _cuts(node: ast.Subscript) -> bool:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(isinstance(one, ast.Slice) and any((one.lower, one.upper, one.step)) for one in parts)


def _thins(node: ast.Subscript) -> bool:
    """`picture[:, ::2, ::2]`: one of several rows or columns is kept."""
    if not isinstance(node.slice, ast.Tuple):
        return False
    steps = [one.step for one in node.slice.elts if isinstance(one, ast.Slice) and one.step is not None]
    return any(
        not (isinstance(one, ast.Constant) and one.value in (1, None)) and not _is_back(one) for one in steps
    )


def _is_back(step: ast.expr) -> bool:
    return isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub)


def _is_pixel_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in _PIXEL_RANGES
