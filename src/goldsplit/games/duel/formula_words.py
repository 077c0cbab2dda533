"""What a feature text may say, and its translation into reads of the short view and look-ups in tables.

Allowed are numbers, the names of kinds, statuses and effects, paths such as `me.bench[2].moves[0].power`, the
operators for arithmetic and comparison, `and`, `or`, `not`, `... if ... else ...`, and calls of FUNCTIONS.
Everything else is refused, so that a text cannot do more than compute a number. Each path becomes a local
variable; `versus` and `at_stage` become look-ups.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable
from typing import Any

from goldsplit.games.duel import bestiary as book
from goldsplit.games.duel.battle_view import (
    BATTLE_FIELDS,
    MONSTER_FIELDS,
    MOVE_FIELDS,
    RECORD_LENGTH,
    SPECIES_FIELDS,
)
from goldsplit.games.duel.errors import SpecError

#: Numbers that a text may name.
CONSTANTS = {
    **{name.upper(): number for number, name in enumerate(book.KINDS)},
    **{name.upper(): number for number, name in enumerate(book.STATUSES)},
    **{name.upper(): number for number, name in enumerate(book.EFFECTS)},
    "NO_KIND": book.NO_KIND,
}


def clip(value: float, low: float, high: float) -> float:
    """The value, or the border that it is beyond."""
    return low if value < low else high if value > high else value


#: Functions that a text may call.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "at_stage": book.at_stage,
    "clip": clip,
    "max": max,
    "min": min,
    "versus": book.versus,
}
#: How many arguments each of them takes; None: two or more.
_ARGUMENTS = {"abs": 1, "at_stage": 1, "clip": 3, "max": None, "min": None, "versus": 3}

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.USub, ast.UAdd)
_LOGIC = (ast.And, ast.Or, ast.Not, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_WHAT_IS_ALLOWED = "use numbers, names, paths, + - * / // %, comparisons, and/or/not, if/else and functions"
#: A larger number is a slip, and Python's whole numbers would grow without end.
_LARGEST = 1e9

#: Where a path is found: (None, position in the view) or (monster, position in its facts).
Place = tuple[int | None, int]


def first_of(monster: int) -> int:
    """Where a monster begins in the short view."""
    return len(BATTLE_FIELDS) + monster * RECORD_LENGTH


def _places() -> dict[str, Place]:
    found: dict[str, Place] = {f"battle.{name}": (None, k) for k, name in enumerate(BATTLE_FIELDS)}
    seats = ["active", *(f"bench[{k}]" for k in range(book.BENCH))]
    for number, seat in enumerate([f"{side}.{seat}" for side in ("me", "foe") for seat in seats]):
        start = first_of(number)
        for k, name in enumerate(MONSTER_FIELDS):
            found[f"{seat}.{name}"] = (None, start + k)
        for k, name in enumerate(SPECIES_FIELDS):
            found[f"{seat}.{name}"] = (number, k)
        for slot in range(book.KNOWN_MOVES):
            move = f"{seat}.moves[{slot}]"
            found[f"{move}.uses"] = (None, start + len(MONSTER_FIELDS) + slot)
            for k, name in enumerate(MOVE_FIELDS):
                found[f"{move}.{name}"] = (number, len(SPECIES_FIELDS) + slot * len(MOVE_FIELDS) + k)
    return found


class Translator(ast.NodeTransformer):
    """Translates the texts of one file; a kind of node without a method here is refused."""

    places = _places()

    def __init__(self) -> None:
        #: The local variable of each path that some text uses.
        self.used: dict[str, str] = {}

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _LARGEST:
            raise SpecError(f"{ast.unparse(node)[:40]} cannot be used", f"use numbers up to {_LARGEST:g}")
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in FUNCTIONS:
            raise SpecError(f"{node.id} is a function", f"call it: {node.id}(...)")
        if node.id not in CONSTANTS:
            raise _unknown(node.id, [*CONSTANTS, *FUNCTIONS], "names are EMBER, BURNT, HEAL and the like")
        return ast.Constant(CONSTANTS[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        path = ast.unparse(node)
        if path not in self.places:
            raise _unknown(path, list(self.places), "paths begin with me., foe. or battle.")
        return ast.Name(self.used.setdefault(path, f"v{len(self.used)}"), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called = ast.unparse(node.func)
        if called not in FUNCTIONS:
            raise _unknown(called, list(FUNCTIONS), f"functions are {', '.join(FUNCTIONS)}")
        wanted = _ARGUMENTS[called]
        given = len(node.args)
        if node.keywords or (given < 2 if wanted is None else given != wanted):
            what = "two or more" if wanted is None else wanted
            raise SpecError(f"{called} with other arguments", f"{called} takes {what}, without names")
        arguments: list[ast.expr] = [self.visit(argument) for argument in node.args]
        if called == "versus":
            return _looked_up("VERSUS", arguments)
        if called == "at_stage":
            return _looked_up("STAGE_FACTORS", [ast.BinOp(arguments[0], ast.Add(), ast.Constant(3))])
        return ast.Call(ast.Name(called, ast.Load()), arguments, [])

    def _translate_parts(self, node: ast.AST) -> ast.AST:
        return super().generic_visit(node)

    # The names are those of ast's nodes.
    visit_BinOp = visit_UnaryOp = visit_BoolOp = visit_Compare = visit_IfExp = _translate_parts  # noqa: N815

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Operators, and whatever has no method of its own."""
        if not isinstance(node, _ARITHMETIC + _LOGIC):
            raise SpecError(f"{type(node).__name__} cannot be used", _WHAT_IS_ALLOWED)
        return node


def _looked_up(table: str, places: list[ast.expr]) -> ast.expr:
    found: ast.expr = ast.Name(table, ast.Load())
    for place in places:
        found = ast.Subscript(found, place, ast.Load())
    return found


def _unknown(name: str, known: list[str], otherwise: str) -> SpecError:
    close = difflib.get_close_matches(name, known, 1)
    return SpecError(f"there is no {name}", f"did you mean {close[0]}?" if close else otherwise)
