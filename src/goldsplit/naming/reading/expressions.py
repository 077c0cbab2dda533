"""Questions to parts of a syntax tree: which names, which calls, in which direction a loop goes."""

from __future__ import annotations

import ast
import re

#: How things are put into collections.
PUTTING = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault"})
#: Before the name of what `getattr` looks up.
LOOKED_UP = "getattr "
_ENTRY_POINT = re.compile(r"[a-zA-Z_][\w.]*:[a-zA-Z_]\w*")


def entry_points(tree: ast.AST) -> list[str]:
    """Texts like gymnasium's `entry_point="package.module:Class"`."""
    texts = [one.value for one in ast.walk(tree) if isinstance(one, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and _ENTRY_POINT.fullmatch(text)]


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


def targets_of(node: ast.expr) -> list[str]:
    """The names that an assignment changes; of `x[i]` and `x.y` it is `x`."""
    if isinstance(node, ast.Tuple | ast.List):
        return [name for element in node.elts for name in targets_of(element)]
    if isinstance(node, ast.Call):
        return [called(node)[0].partition(".")[0]]
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
        made = dotted(node.func).rpartition(".")[2]
        if len(given) >= 2 and (made[:1].isupper() or (made == "dict" and node.keywords)):
            return given
    return [node]


def keys_of(node: ast.expr) -> list[str]:
    """The names that a returned dictionary or record gives its parts."""
    if isinstance(node, ast.Dict):
        return [str(key.value) if isinstance(key, ast.Constant) else "" for key in node.keys]
    if isinstance(node, ast.Call) and len(elements_of(node)) >= 2:
        return [*("" for _ in node.args), *(keyword.arg or "" for keyword in node.keywords)]
    return []


def key_of(target: ast.expr, value: ast.expr) -> str:
    """The name under which elements are put in: `x[name] = …`, `x = {name: … for …}`; several as one text."""
    if isinstance(value, ast.DictComp):
        return dotted(value.key)
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Tuple):
        return ", ".join(filter(None, map(dotted, target.slice.elts)))
    return dotted(target.slice) if isinstance(target, ast.Subscript) else ""


def called(node: ast.Call) -> tuple[str, str]:
    """What comes before the name of a called function, and that name."""
    if dotted(node.func) == "getattr" and len(node.args) >= 2:
        return dotted(node.args[0]), LOOKED_UP + _beginning(node.args[1])
    if isinstance(node.func, ast.Attribute):
        return dotted(node.func.value) or "?", node.func.attr
    return "", dotted(node.func)


def _beginning(text: ast.expr) -> str:
    """A text as far as it is known: `on_*` of `"on_" + kind` and of `f"on_{kind}"`; "?" for nothing."""
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        return text.value
    first: ast.expr | None = None
    if isinstance(text, ast.BinOp) and isinstance(text.op, ast.Add | ast.Mod):
        first = text.left
    elif isinstance(text, ast.JoinedStr) and text.values:
        first = text.values[0]
    known = first.value if isinstance(first, ast.Constant) else None
    return f"{known.partition('%')[0]}*" if isinstance(known, str) and known else "?"


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


def every_name(node: ast.AST) -> set[str]:
    """The dotted names of an expression, also those of places in a subscript."""
    nodes = list(ast.walk(node))
    parts = {one.value for one in nodes if isinstance(one, ast.Attribute)}
    return {dotted(one) for one in nodes if isinstance(one, ast.Name | ast.Attribute) and one not in parts}


#: What makes an array of one value, and may be told its kind without a word for it.
_FILLING = frozenset({"empty", "full", "ones", "zeros"})


def is_flags(node: ast.expr) -> bool:
    """Whether an expression makes a list or an array of yes and no."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return is_flags(node.left) or is_flags(node.right)
    if isinstance(node, ast.ListComp):
        return _is_flag(node.elt)
    if isinstance(node, ast.List):
        return bool(node.elts) and all(map(_is_flag, node.elts))
    if not isinstance(node, ast.Call):
        return False
    kinds = [one.value for one in node.keywords if one.arg == "dtype"]
    if called_name(node) in _FILLING:  # also `np.zeros(n, bool)`
        kinds += node.args[1:]
    return any(dotted(one).rpartition(".")[2] in ("bool", "bool_") for one in kinds)


def _is_flag(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) or (isinstance(node, ast.Constant) and isinstance(node.value, bool))


def own_nodes(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.AST]:
    """All nodes of a function, without those of functions inside it."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = list(node.body)
    while stack:
        one = stack.pop()
        found.append(one)
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack += ast.iter_child_nodes(one)
    return found


def handed_on(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The parameter that a function calls with all arguments that it does not know; "" for none."""
    rest = node.args.vararg
    names = {one.arg for one in (*node.args.posonlyargs, *node.args.args)}
    for one in own_nodes(node) if rest is not None else ():
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in names:
            starred = [part.value for part in one.args if isinstance(part, ast.Starred)]
            if any(isinstance(part, ast.Name) and part.id == rest.arg for part in starred if rest):
                return one.func.id
    return ""


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


def added_to_itself(node: ast.Assign | ast.AugAssign) -> ast.expr | None:
    """What a statement adds to a name: 1 in `n += 1` and in `n = n + 1`; None where it does not."""
    if isinstance(node, ast.AugAssign):
        return node.value if isinstance(node.op, ast.Add) else None
    value = node.value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and len(node.targets) == 1:
        return value.right if dotted(value.left) == dotted(node.targets[0]) != "" else None
    return None
