"""Questions to parts of a syntax tree: which names, which calls, in which direction a loop goes."""

from __future__ import annotations

import ast

from goldsplit.naming.code_facts import Call, Statement


def dotted(node: ast.AST) -> str:
    """`a.b.c` of a name, an attribute or a subscript of one; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    if isinstance(node, ast.Subscript):
        before, key = dotted(node.value), node.slice
        return f"{before}.{word(key)}" if before and word(key) else before
    if isinstance(node, ast.Starred | ast.Await):
        return dotted(node.value)
    return ""


def word(key: ast.expr) -> str:
    """A subscript that could be an attribute: `outcome["done"]` is read as `outcome.done`."""
    text = key.value if isinstance(key, ast.Constant) else None
    return text if isinstance(text, str) and text.isidentifier() else ""


def called_name(node: ast.expr) -> str:
    return called(node)[1] if isinstance(node, ast.Call) else ""


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
    is_long = any(isinstance(inner, ast.For | ast.While | ast.If) for inner in ast.walk(node))
    backward = isinstance(node, ast.For) and goes_backward(node.iter)
    last = node.end_lineno or node.lineno
    return Statement(node.lineno, last, loop, frozenset(reads), frozenset(writes), calls, is_long, backward)


def targets_of(node: ast.expr) -> list[str]:
    """The names that an assignment changes; of `x[i]` and `x.y` it is `x`."""
    if isinstance(node, ast.Tuple | ast.List):
        return [name for element in node.elts for name in targets_of(element)]
    return [dotted(node).partition(".")[0]]


def elements_of(node: ast.expr) -> list[ast.expr]:
    """The parts of a returned value: of a tuple, of a dictionary, of a record that is made with them; also if
    it is handed to another function first."""
    if isinstance(node, ast.Tuple):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, ast.Call):
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.Dict):
            return elements_of(given[0])
        if len(given) >= 2 and dotted(node.func).rpartition(".")[2][:1].isupper():
            return given
    return [node]


def keys_of(node: ast.expr) -> list[str]:
    """The names that a returned dictionary or record gives its parts."""
    if isinstance(node, ast.Dict):
        return [str(key.value) if isinstance(key, ast.Constant) else "" for key in node.keys]
    if isinstance(node, ast.Call) and len(elements_of(node)) >= 2:
        return [*("" for _ in node.args), *(keyword.arg or "" for keyword in node.keywords)]
    return []


def called(node: ast.Call) -> tuple[str, str]:
    """What comes before the name of a called function, and that name."""
    if isinstance(node.func, ast.Attribute):
        return dotted(node.func.value) or "?", node.func.attr
    return "", dotted(node.func)


def names_in(node: ast.AST) -> set[str]:
    """The dotted names that an expression uses, without those of called functions."""
    found: set[str] = set()
    stack: list[ast.AST] = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, ast.Call):
            stack += [*one.args, *(keyword.value for keyword in one.keywords)]
            if isinstance(one.func, ast.Attribute):
                stack.append(one.func.value)
            continue
        name = dotted(one) if isinstance(one, ast.Name | ast.Attribute) else ""
        if name:
            found.add(name)
        else:
            stack += ast.iter_child_nodes(one)
    return found


def goes_backward(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "reversed":
            return True
        if node.func.id == "range" and len(node.args) == 3:
            step = node.args[2]
            return isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub)
        return bool(node.args) and node.func.id in ("enumerate", "zip") and any(map(goes_backward, node.args))
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        stride = node.slice.step
        return (
            node.slice.lower is None and isinstance(stride, ast.UnaryOp) and isinstance(stride.op, ast.USub)
        )
    return False


def is_now_and_then(test: ast.expr) -> bool:
    """Whether a condition holds only once in a while: it has a remainder in it."""
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) for one in ast.walk(test))
