"""Which expressions and statements of a function are known to be slow where they run often.

Each test looks at one node, and says which kind it is. Whether its line is hot, samples tell: see `look.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from goldsplit.analyse.source_look.attribute_chains import long_chains
from goldsplit.model.hot_code.source_look import IdiomKind

_LOOPS = (ast.For, ast.While, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_JOINERS = frozenset({"append", "concatenate", "vstack", "hstack", "cat", "concat"})
_CHOOSERS = frozenset({"choice", "sample", "choices"})
_ANSWERS = frozenset({"KeyError", "IndexError", "AttributeError", "StopIteration", "ValueError", "TypeError"})
_LIST_MAKERS = frozenset({"list", "sorted", "deque"})


@dataclass(frozen=True, slots=True)
class Seen:
    """One slow idiom, and the lines that it is on."""

    kind: str
    first: int
    last: int
    only_if: tuple[int, int] | None = None
    """Lines that must be hot too: the handlers of a `try`, which are an answer only if they are often run."""
    part: float = 1.0
    """The part of these lines' work that another way of writing saves."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a node stands in."""

    in_loop: bool
    lists: frozenset[str]
    """Names and attributes that hold lists, as written."""


Test = Callable[[ast.AST, Around], str | None]


def slow_idioms(function: ast.AST, list_attributes: frozenset[str] = frozenset()) -> list[Seen]:
    """Every slow idiom in a function; functions inside it are looked at by themselves."""
    around = Around(False, list_attributes | _lists_in(function))
    chains = (Seen(IdiomKind.ATTRIBUTE_CHAIN, line, line, None, part) for line, part in long_chains(function))
    return [*_walk(function, around), *chains]


def _walk(node: ast.AST, around: Around) -> Iterator[Seen]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        inside = Around(around.in_loop or isinstance(child, _LOOPS), around.lists)
        for test in TESTS:
            kind = test(child, around if isinstance(child, ast.Try) else inside)
            if kind is not None:
                handlers = _handlers(child) if isinstance(child, ast.Try) else None
                yield Seen(kind, *_lines_of(child), handlers)
                break
        yield from _walk(child, inside)


def _lines_of(node: ast.AST) -> tuple[int, int]:
    if isinstance(node, ast.Try):  # raising costs where it happens, then come the handlers
        return node.body[0].lineno, _handlers(node)[1]
    first = getattr(node, "lineno", 0)
    return first, getattr(node, "end_lineno", None) or first


def _handlers(node: ast.Try) -> tuple[int, int]:
    return node.handlers[0].lineno, node.handlers[-1].end_lineno or node.handlers[-1].lineno


def pops_the_first(node: ast.AST, around: Around) -> str | None:
    """`queue.pop(0)`, `queue.insert(0, x)`, `del queue[0]`: everything behind it moves."""
    if not around.in_loop:
        return None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        wanted = {"pop": 1, "insert": 2}.get(node.func.attr)
        moves = wanted == len(node.args) and _is_zero(node.args[0])
        return IdiomKind.POP_FIRST if moves else None
    if isinstance(node, ast.Delete):
        first = [one for one in node.targets if isinstance(one, ast.Subscript) and _is_zero(one.slice)]
        return IdiomKind.POP_FIRST if first else None
    return None


def searches_a_list(node: ast.AST, around: Around) -> str | None:
    """`x in seen`, where `seen` is a list."""
    if not around.in_loop or not isinstance(node, ast.Compare):
        return None
    asked = zip(node.ops, node.comparators, strict=True)
    inside = [where for op, where in asked if isinstance(op, ast.In | ast.NotIn)]
    return IdiomKind.SEARCH_IN_LIST if any(ast.unparse(one) in around.lists for one in inside) else None


def grows_an_array(node: ast.AST, around: Around) -> str | None:
    """`x = np.append(x, y)`, `x = torch.cat([x, y])`: all of it is copied each time."""
    if not around.in_loop or not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    call, target = node.value, ast.unparse(node.targets[0])
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    first = call.args[0]
    joined = first.elts if isinstance(first, ast.List | ast.Tuple) else [first]
    grows = call.func.attr in _JOINERS and any(ast.unparse(one) == target for one in joined)
    return IdiomKind.GROWN_ARRAY if grows else None


def sorts_for_one(node: ast.AST, around: Around) -> str | None:
    """`sorted(x)[0]`, `sorted(x)[-1]`: `min` and `max` look once at each."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Call):
        return None
    function, index = node.value.func, node.slice
    ends = _is_zero(index) or (isinstance(index, ast.UnaryOp) and ast.unparse(index) == "-1")
    return (
        IdiomKind.SORT_FOR_ONE
        if ends and isinstance(function, ast.Name) and function.id == "sorted"
        else None
    )


def grows_a_text(node: ast.AST, around: Around) -> str | None:
    """`self.text += str(x)`, `text = str(x) + text`: all of it is copied each time. A plain name that grows
    at its end is not: Python makes that text longer where it is."""
    if not around.in_loop:
        return None
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        is_kept_elsewhere = not isinstance(node.target, ast.Name)
        return IdiomKind.GROWN_TEXT if is_kept_elsewhere and _is_text(node.value) else None
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.value, ast.BinOp):
        return None
    target, parts = ast.unparse(node.targets[0]), _added(node.value)
    is_grown = target in map(ast.unparse, parts[1:]) or (
        target == ast.unparse(parts[0]) and not isinstance(node.targets[0], ast.Name)
    )
    return IdiomKind.GROWN_TEXT if is_grown and any(map(_is_text, parts)) else None


def copies_to_choose(node: ast.AST, around: Around) -> str | None:
    """`random.choice(list(units))`: a copy of everything for one of it."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    copied = isinstance(node.args[0], ast.Call) and _name_of(node.args[0].func) in {"list", "tuple", "sorted"}
    return IdiomKind.COPY_TO_CHOOSE if node.func.attr in _CHOOSERS and copied else None


def answers_by_exception(node: ast.AST, around: Around) -> str | None:
    """`try: x = table[key]` / `except KeyError:` in a loop, where a handler is an ordinary answer."""
    if not around.in_loop or not isinstance(node, ast.Try) or len(node.body) != 1:
        return None
    caught = [one.type for one in node.handlers if one.type is not None]
    names = {ast.unparse(inner) for one in caught for inner in getattr(one, "elts", [one])}
    return IdiomKind.EXCEPTION_AS_ANSWER if names and names <= _ANSWERS else None


TESTS: tuple[Test, ...] = (
    pops_the_first,
    searches_a_list,
    grows_an_array,
    sorts_for_one,
    grows_a_text,
    copies_to_choose,
    answers_by_exception,
)


@dataclass(slots=True)
class _Assigned:
    """What is assigned to names and attributes: lists, and anything else."""

    lists: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)


def _lists_in(function: ast.AST) -> frozenset[str]:
    """Names that only lists (or deques) are assigned to; and `self.x` likewise."""
    found = _Assigned()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                kept = found.lists if _is_list(node.value) else found.others
                kept.add(ast.unparse(target))
    return frozenset(found.lists - found.others)


def list_attributes(owner: ast.ClassDef) -> frozenset[str]:
    """`self.x` of a class to which only lists are assigned, in all its methods."""
    return frozenset(name for name in _lists_in(owner) if name.startswith("self."))


def _added(value: ast.expr) -> list[ast.expr]:
    """The parts of a sum, from the left."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return [*_added(value.left), *_added(value.right)]
    return [value]


def _is_list(value: ast.AST) -> bool:
    made = isinstance(value, ast.Call) and _name_of(value.func) in _LIST_MAKERS
    return made or isinstance(value, ast.List | ast.ListComp)


def _is_text(value: ast.AST) -> bool:
    if isinstance(value, ast.BinOp):
        return _is_text(value.left) or _is_text(value.right)
    if isinstance(value, ast.Call):
        return _name_of(value.func) in {"str", "repr", "chr"}
    return isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.Constant) and isinstance(value.value, str)
    )


def _is_zero(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0 and not isinstance(node.value, bool)


def _name_of(function: ast.AST) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
