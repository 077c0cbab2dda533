"""What the arguments of a function stand for: two numbers that together are one place, or a thing each.

A loop over a board calls `neighbours(x, y)` for every cell. Its calls share `x`, but `x` alone is no thing:
there is no source and no target. Names tell coordinates, how an argument is used tells things.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from goldsplit.model.hot_code.source_look import ArgumentSense

Function = ast.FunctionDef | ast.AsyncFunctionDef

#: Words for the axes of one place.
_AXES = (
    ("x", "y", "z"),
    ("row", "col"),
    ("row", "column"),
    ("rows", "cols"),
    ("line", "column"),
    ("rank", "file"),
    ("lat", "lon"),
)
#: … and letters that may also be indices of two units.
_AXES_OR_INDICES = (("i", "j", "k"), ("r", "c"), ("q", "r"), ("u", "v"))
#: Words in the names of arguments that are one thing.
_THINGS = frozenset(
    [
        "source",
        "src",
        "start",
        "origin",
        "sender",
        "target",
        "dst",
        "dest",
        "destination",
        "goal",
        "end",
        "receiver",
        "unit",
        "enemy",
        "ally",
        "other",
        "cell",
        "pos",
        "position",
        "node",
        "agent",
        "attacker",
        "defender",
        "player",
        "piece",
        "location",
        "place",
        "point",
        "tile",
        "city",
        "edge",
        "vertex",
        "item",
        "object",
        "obj",
        "card",
        "word",
        "state",
        "square",
        "coord",
        "coords",
        "one",
        "first",
        "second",
        "here",
        "there",
    ]
)
_NUMBERS = frozenset({"int", "float", "bool", "str", "np.int64", "np.float32", "np.float64", "Any", "object"})
_WORDS = re.compile(r"[a-z]+|\d+")


def argument_sense(node: Function) -> ArgumentSense:
    """What a function's arguments stand for, numbered as they are passed (`self` counts)."""
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    names = [one.arg for one in every]
    used = _Uses(node, frozenset(names))
    things = {
        place
        for place, one in enumerate(every)
        if one.arg != "self"
        and (one.arg in used.as_things or _is_annotated_thing(one) or _THINGS & set(words_of(one.arg)))
    }
    certain = list(_places(names, _AXES))
    likely = [
        place
        for place in _places(names, _AXES_OR_INDICES)
        if not any(names[one] in used.as_things for one in place)
    ]
    taken = {one for place in certain for one in place}
    places = certain + [place for place in likely if not taken & set(place)]
    taken |= {one for place in places for one in place}
    moved = tuple(
        place for place, name in enumerate(names) if name in used.moved and place not in things | taken
    )
    if len(moved) > 1:  # (a + da, b + db): offsets from one place
        places.append(moved)
        taken |= set(moved)
    return ArgumentSense(tuple(names), tuple(sorted(places)), tuple(sorted(things - taken)))


def words_of(name: str) -> list[str]:
    """A name's words and figures: `start_cell2` → start, cell, 2."""
    return _WORDS.findall(name.lower())


def _places(names: list[str], families: tuple[tuple[str, ...], ...]) -> Iterator[tuple[int, ...]]:
    """Arguments whose names differ in the axis alone: `x1, y1`; `start_row, start_col`; `cx, cy`."""
    taken: set[int] = set()
    for family in families:
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for place, name in enumerate(names):
            for axis in family:
                stem = _stem(name, axis)
                if stem is not None and place not in taken:
                    found[stem].setdefault(axis, place)
        for axes in found.values():
            if len(axes) > 1 and family[0] in axes:
                taken |= set(axes.values())
                yield tuple(sorted(axes.values()))


def _stem(name: str, axis: str) -> str | None:
    """A name without its axis; None if it has none. A single letter may stand behind one or two others."""
    lower = name.lower().strip("_")
    parts = [part for part in re.split(r"_|(?<=\D)(?=\d)", lower) if part]
    if axis in parts:
        parts[parts.index(axis)] = "*"
        return "_".join(parts)
    if len(axis) == 1 and len(lower) <= 3 and lower.count(axis) == 1:
        return lower.replace(axis, "*")
    return None


def _is_annotated_thing(argument: ast.arg) -> bool:
    """Whether its type says that it is more than a number."""
    if argument.annotation is None:
        return False
    return ast.unparse(argument.annotation).strip("'\"") not in _NUMBERS


class _Uses:
    """How a function uses its arguments."""

    def __init__(self, node: Function, names: frozenset[str]) -> None:
        self.names = names
        self.as_things: set[str] = set()
        """Its attributes are read, it is indexed or taken apart; or two index the same list, each alone."""
        self.moved: set[str] = set()
        """A number is added to it, or it is added to one."""
        self.indexing: dict[str, set[str]] = defaultdict(set)
        inner = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Subscript)}
        for one in ast.walk(node):
            self._see(one, id(one) in inner)
        for alike in self.indexing.values():
            if len(alike) > 1:
                self.as_things |= alike

    def _named(self, node: ast.AST | None) -> set[str]:
        return {node.id} & self.names if isinstance(node, ast.Name) else set()

    def _see(self, node: ast.AST, is_indexed_again: bool) -> None:
        if isinstance(node, ast.Attribute | ast.Starred):
            self.as_things |= self._named(node.value)
        elif isinstance(node, ast.Subscript):
            self.as_things |= self._named(node.value)
            if not is_indexed_again and not isinstance(node.value, ast.Subscript):
                for name in self._named(node.slice):
                    self.indexing[ast.unparse(node.value)].add(name)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self.as_things |= self._named(node.iter)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
            self.as_things |= self._named(node.value)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            sides = self._named(node.left), self._named(node.right)
            if not all(sides):  # of two arguments it is a difference, as of two places
                self.moved |= sides[0] | sides[1]
