"""What a condition asks for, and what tells that it holds: read from its expression alone."""

from __future__ import annotations

import ast

from goldsplit.naming.reading.expressions import called_name, dotted

#: What gives yes or no as its argument does; a question of the user's own may be about anything.
_AS_TRUE = frozenset({"all", "any", "bool", "int", "max"})
#: What does so for one thing, not for many.
_SAME_TRUTH = frozenset({"bool", "float", "int"})
#: What a constant that is true needs to be so.
ALWAYS = "True"


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
