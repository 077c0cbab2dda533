"""Questions to parts of a syntax tree: which names, which calls, in which direction a loop goes."""

from __future__ import annotations

import ast
import re

from goldsplit.naming.reading.code_facts import Call, Statement

#: How things are put into collections.
PUTTING = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault"})
#: What gives yes or no as its argument does; a question of the user's own may be about anything.
_AS_TRUE = frozenset({"all", "any", "bool", "int", "max"})
#: What does so for one thing, not for many.
_SAME_TRUTH = frozenset({"bool", "float", "int"})
#: What a constant that is true needs to be so.
ALWAYS = "True"
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


def is_flags(node: ast.expr) -> bool:
    """Whether an expression makes a list or an array of yes and no."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return is_flags(node.left) or is_flags(node.right)
    if isinstance(node, ast.ListComp):
        return _is_flag(node.elt)
    if isinstance(node, ast.List):
        return bool(node.elts) and all(map(_is_flag, node.elts))
    kinds = [one.value for one in node.keywords if one.arg == "dtype"] if isinstance(node, ast.Call) else []
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


def asked_names(test: ast.expr) -> list[str]:
    """The names that hold where a condition does: `over` of `over`, of `over or late`, of `over and more`;
    with "not " before those that do not."""
    if isinstance(test, ast.BoolOp):
        return [name for part in test.values for name in asked_names(part)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return [_denied(name) for name in asked_names(test.operand)]
    return [name] if (name := dotted(test)) else []


def asked_alone(test: ast.expr) -> set[str]:
    """The names that a condition, or a part of it, asks for alone: `over`, `not over`, `any(over)`,
    `all(over.values())`; `out[2]` as `out` and as `out.2`."""
    found = set()
    for part in test.values if isinstance(test, ast.BoolOp) else [test]:
        inner = part.operand if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not) else part
        if isinstance(inner, ast.Call) and len(inner.args) == 1 and dotted(inner.func) in _AS_TRUE:
            inner = inner.args[0]  # bool(over), any(over)
            if isinstance(inner, ast.Call) and not inner.args and called_name(inner) == "values":
                inner = inner.func.value if isinstance(inner.func, ast.Attribute) else inner
        found |= {dotted(inner), _at_place(inner)}
    return found - {""}


def _denied(name: str) -> str:
    return name.removeprefix("not ") if name.startswith("not ") else f"not {name}"


def only_asks(test: ast.expr) -> bool:
    """Whether a condition asks for names alone (`over`, `not alive`, `won or lost`, `winner is None`), and
    compares nothing else."""
    if isinstance(test, ast.BoolOp):
        return all(map(only_asks, test.values))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return only_asks(test.operand)
    return bool(over_when(test, holds=True))


def asks_clock(test: ast.expr) -> bool:
    """Whether a condition compares the time that has passed: `clock() - start >= limit`."""
    parts = [one.left for one in ast.walk(test) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub)]
    calls = [one for one in parts if isinstance(one, ast.Call) and not one.args and not one.keywords]
    return any(isinstance(one.func, ast.Name) or dotted(one.func).startswith("time.") for one in calls)


def is_now_and_then(test: ast.expr) -> bool:
    """Whether a condition holds only once in a while: it has a remainder in it."""
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) for one in ast.walk(test))


def over_when(test: ast.expr, holds: bool) -> dict[str, str]:
    """Names → what is true of each (`{}` stands for it) where a condition holds, or does not any more. Only
    what is enough alone: either part of `won or lost`, and each part of `alive and playing` that fails."""
    if isinstance(test, ast.BoolOp):
        enough = isinstance(test.op, ast.Or) == holds
        parts = [over_when(part, holds) for part in test.values] if enough else []
        return {name: said for part in parts for name, said in part.items()}
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return over_when(test.operand, not holds)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Is | ast.IsNot):
        nothing = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        said = "{} is None" if isinstance(test.ops[0], ast.Is) == holds else "{} is not None"
        return {name: said} if nothing and (name := dotted(test.left)) else {}
    if isinstance(test, ast.Call) and dotted(test.func) in ("all", "any") and len(test.args) == 1:
        return _of_each(test.args[0], holds)
    return {name: "{}" if holds else "not {}"} if (name := dotted(test)) else {}


def each_of(collection: str) -> str:
    """How a condition calls any one of a collection: `games[]` of `all(game.over for game in games)`."""
    return f"{collection}[]"


def _of_each(node: ast.expr, holds: bool) -> dict[str, str]:
    """The same of each of many: `all(game.over for game in games)`."""
    if not isinstance(node, ast.GeneratorExp | ast.ListComp) or len(node.generators) != 1:
        return {}
    (part,) = node.generators
    one, many = dotted(part.target), dotted(part.iter)
    if part.ifs or not one or not many:
        return {}
    return {
        name.replace(one, each_of(many), 1): said
        for name, said in over_when(node.elt, holds).items()
        if name.startswith(f"{one}.")
    }


def enough_for(test: ast.expr, holds: bool = True) -> tuple[str, ...]:
    """The names each of which is enough to make a condition true, or untrue: `lost` and `not alive` of `lost
    or not alive`; "" for anything else that is, ALWAYS for a constant."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) == holds:
        return tuple(name for part in test.values for name in enough_for(part, holds))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return enough_for(test.operand, not holds)
    if isinstance(test, ast.Call) and len(test.args) == 1 and dotted(test.func) in _SAME_TRUTH:
        return enough_for(test.args[0], holds)
    if isinstance(test, ast.Constant):
        return (ALWAYS,) if bool(test.value) == holds else ()
    name = _at_place(test) or dotted(test)
    return (name if holds or not name else f"not {name}",)


def _at_place(node: ast.expr) -> str:
    """`out.2` for `out[2]`; "" for anything else."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner, place = dotted(node.value), node.slice.value
        return f"{owner}.{place}" if owner and type(place) is int and place >= 0 else ""
    return ""
