"""The lines of a function as a tree: which names each of them reads, sets and changes.

For games and learners that are lines of one loop, without functions: there only the data can tell what a
line is for. It is made on demand, because most functions never need it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from goldsplit.naming.reading.conditions import is_now_and_then, only_asks
from goldsplit.naming.reading.expressions import (
    PUTTING,
    called,
    called_name,
    dotted,
    goes_backward,
    targets_of,
)

Names = frozenset[str]
_NONE: Names = frozenset()
#: What takes the largest of many by what it is worth: `max(moves, key=worth.get)`.
_LARGEST = frozenset({"max", "min"})
#: Drops things that a memory has too many of.
_DROPPING = frozenset({"clear", "pop", "popleft", "update"})


@dataclass(slots=True, eq=False)
class Line:
    """One statement; of a loop or of a condition with all that is in it."""

    first: int
    last: int
    reads: Names = _NONE
    """What it needs from before: not what a block sets itself first."""
    header: Names = _NONE
    """What the head of a loop or of a condition reads."""
    targets: Names = _NONE
    """What a `for` loop binds."""
    amounts: Names = _NONE
    """Those of them that are no part of a condition or of a comparison."""
    sets: Names = _NONE
    """Names that get a new value, which is not made of their last one."""
    changes: Names = _NONE
    """Names whose numbers are changed: `w += g`, `w = w - g`, `w[i] += 1`; no plain counter (`n += 1`)."""
    places: Names = _NONE
    """Names that get a new value at some place: `table[key] = value`."""
    given: Names = _NONE
    """What is read for the values that names and places get, without what tells the places."""
    puts: Names = _NONE
    """Names that something is put into, taken out of, or counted up in: `seen.append(…)`, `n += 1`."""
    drawn: Names = _NONE
    """Names that are set to what was drawn at random, or is the best of many; lists that it is put into."""
    copies: tuple[tuple[str, str], ...] = ()
    """Names that are only set to what another one has."""
    plain_numbers: Names = _NONE
    """Names that are set to a constant number."""
    packed: Names = _NONE
    """Names that stand in a tuple that is put somewhere: `memory.append((seen, move))`."""
    calls: Names = _NONE
    """The last names of what is called."""
    surely: Names = _NONE
    """Names that each branch of a condition sets."""
    views: tuple[tuple[str, str], ...] = ()
    """Names for an element of something, with that: `one = games[i]`, `for one in games`."""
    within: Names = _NONE
    """Names whose attributes or elements get new values: of a view, what it is an element of is changed."""
    parts: tuple[Line, ...] = ()
    is_loop: bool = False
    is_condition: bool = False
    rare: bool = False
    """Behind a condition with a remainder: `if n % 100 == 0:`."""
    backward: bool = False
    """A loop that goes backward."""
    leaves: bool = False
    """A condition that ends the loop around it."""
    asks: bool = False
    """A condition that asks for names alone: `if over:`."""
    tested: Names = _NONE
    """What a condition asks for, or a `while` loop."""

    @property
    def writes(self) -> Names:
        return self.sets | self.changes | self.places | self.puts

    def inside(self) -> Iterator[Line]:
        """Itself, and all that is in it."""
        yield self
        for part in self.parts:
            yield from part.inside()


def line_tree(body: Iterable[ast.stmt], drawing: Names) -> tuple[Line, ...]:
    """The lines of a body; `drawing`: what draws at random or takes the best one, by name."""
    skipped = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
    return tuple(_line(node, drawing) for node in body if not isinstance(node, skipped))


def _line(node: ast.stmt, drawing: Names) -> Line:
    line = Line(node.lineno, node.end_lineno or node.lineno)
    match node:
        case ast.For() | ast.AsyncFor():
            line.is_loop, line.backward = True, goes_backward(node.iter)
            _read(line, node.iter)
            line.targets = line.sets = frozenset(targets_of(node.target))
            line.views = tuple(_views(node.target, node.iter))
            line.parts = line_tree(node.body, drawing)
        case ast.While():
            line.is_loop, line.tested = True, _loaded([node.test])
            _read(line, node.test, asked=True)
            line.parts = line_tree(node.body, drawing)
        case ast.If():
            line.is_condition, line.tested = True, _loaded([node.test])
            line.rare, line.asks = is_now_and_then(node.test), only_asks(node.test)
            line.leaves = any(isinstance(one, ast.Break | ast.Return) for one in (*node.body, *node.orelse))
            _read(line, node.test, asked=True)
            body, other = line_tree(node.body, drawing), line_tree(node.orelse, drawing)
            line.parts, line.surely = (*body, *other), _surely_set(body) & _surely_set(other)
        case ast.With() | ast.AsyncWith():
            for item in node.items:
                _read(line, item.context_expr)
            line.parts = line_tree(node.body, drawing)
        case ast.Try() | ast.TryStar():
            handled = [inner for one in node.handlers for inner in one.body]
            line.parts = line_tree([*node.body, *handled, *node.orelse, *node.finalbody], drawing)
        case ast.Match():
            line.is_condition = True
            _read(line, node.subject, asked=True)
            line.parts = line_tree([inner for one in node.cases for inner in one.body], drawing)
        case ast.Assign():
            for target in node.targets:
                _assign(line, target, node.value, drawing)
        case ast.AnnAssign() if node.value is not None:
            _assign(line, node.target, node.value, drawing)
        case ast.AugAssign():
            _add(line, node, drawing)
        case ast.Delete():
            line.puts |= frozenset(name for one in node.targets for name in targets_of(one))
        case ast.Expr():
            _read(line, node.value)
            _put(line, node.value, drawing)
        case _:
            _read(line, node)
    return _with_parts(line)


def _with_parts(line: Line) -> Line:
    """A line with what its parts read and write."""
    line.header = line.reads if line.parts else _NONE
    known = line.targets
    for part in line.parts:
        line.reads |= part.reads - known
        line.amounts |= part.amounts - known
        known |= _surely_set([part])
        line.sets |= part.sets
        line.changes |= part.changes
        line.places |= part.places
        line.puts |= part.puts
        line.drawn |= part.drawn
        line.calls |= part.calls
        line.packed |= part.packed
        line.plain_numbers |= part.plain_numbers
        line.views += part.views
        line.within |= part.within
    line.places |= {whole for one, whole in line.views if one in line.within}
    return line


def _surely_set(lines: Iterable[Line]) -> Names:
    """What has a new value behind some lines, whichever way they went."""
    found = (one.surely if one.is_condition else one.targets if one.is_loop else one.sets for one in lines)
    return frozenset().union(_NONE, *found)


def _views(target: ast.expr, over: ast.expr) -> Iterator[tuple[str, str]]:
    """What a loop's names are elements of, also through `zip` and `enumerate`."""
    name = dotted(over.func) if isinstance(over, ast.Call) else ""
    if isinstance(over, ast.Call) and isinstance(target, ast.Tuple) and name in ("enumerate", "zip"):
        given = target.elts[1:] if name == "enumerate" else target.elts
        for one, part in zip(given, over.args, strict=False):
            yield from _views(one, part)
    elif isinstance(target, ast.Name) and isinstance(over, ast.Name):
        yield target.id, over.id


def _assign(line: Line, target: ast.expr, value: ast.expr, drawing: Names) -> None:
    if isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            for one, part in zip(target.elts, value.elts, strict=True):
                _assign(line, one, part, drawing)
            return
        for one in target.elts:
            _assign(line, one, value, drawing)
        return
    names, read = frozenset(targets_of(target)), _loaded([value])
    line.given |= read
    _read(line, value)
    if isinstance(target, ast.Name):
        if isinstance(value, ast.Name):
            line.copies += ((target.id, value.id),)
        elif _draws(value, drawing):
            line.drawn |= names
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
            line.views += ((target.id, value.value.id),)
        if _is_number(value):
            line.plain_numbers |= names
        again = names & read and not isinstance(value, ast.Name)
        line.changes, line.sets = (
            (line.changes | names, line.sets) if again else (line.changes, line.sets | names)
        )
    else:
        _read(line, target)
        line.changes |= names & read
        line.places |= names - read
        line.within |= names
        line.packed |= read | _loaded([target])


def _add(line: Line, node: ast.AugAssign, drawing: Names) -> None:
    names = frozenset(targets_of(node.target))
    _read(line, node.value)
    _read(line, node.target)
    line.reads, line.amounts = line.reads | names, line.amounts | names
    line.within |= _NONE if isinstance(node.target, ast.Name) else names
    if isinstance(node.target, ast.Name) and _is_number(node.value):
        line.puts |= names
    else:
        line.changes |= names
    if isinstance(node.target, ast.Name) and _draws(node.value, drawing):
        line.drawn |= names


def _put(line: Line, node: ast.expr, drawing: Names) -> None:
    """`seen.append(…)`, `del seen[0]`, `np.add.at(w, places, amounts)`."""
    if not isinstance(node, ast.Call):
        return
    name = called_name(node)
    if name in PUTTING | _DROPPING:
        line.puts |= frozenset(targets_of(node))
        line.within |= frozenset(targets_of(node))
        line.packed |= _loaded(one for one in node.args)
        if any(_draws(one, drawing) for one in node.args):  # a list of choices
            line.drawn |= frozenset(targets_of(node))
    elif name == "at" and node.args:
        line.changes |= frozenset(targets_of(node.args[0]))
    for keyword in node.keywords:
        if keyword.arg == "out":
            line.changes |= frozenset(targets_of(keyword.value))


def _read(line: Line, node: ast.AST, asked: bool = False) -> None:
    line.reads |= _loaded([node])
    line.amounts |= _NONE if asked else _amounts(node)
    line.calls |= frozenset(called(one)[1] for one in ast.walk(node) if isinstance(one, ast.Call))


def _loaded(nodes: Iterable[ast.AST]) -> Names:
    return frozenset(
        inner.id
        for node in nodes
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    )


def _amounts(node: ast.AST) -> Names:
    """The names of an expression that its value is made of; those that only decide between values are not."""
    if isinstance(node, ast.Compare):
        return _NONE
    if isinstance(node, ast.IfExp):
        return _amounts(node.body) | _amounts(node.orelse)
    if isinstance(node, ast.Name):
        return frozenset({node.id}) if isinstance(node.ctx, ast.Load) else _NONE
    return frozenset().union(*map(_amounts, ast.iter_child_nodes(node)))


def _draws(node: ast.expr, drawing: Names) -> bool:
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            name = called(one)[1]
            by_worth = name in _LARGEST and any(keyword.arg == "key" for keyword in one.keywords)
            if name in drawing or by_worth:
                return True
    return False


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant) and dotted(node) == "" and not isinstance(node.value, str)
