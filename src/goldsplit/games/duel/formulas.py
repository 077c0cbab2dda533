"""Feature texts made into one function: read once for each process, translated, compiled together.

A text is a small Python expression on what the player sees: `me.active.hp / me.active.max_hp`,
`foe.bench[2].kind1 == EMBER`, `versus(me.active.moves[0].kind, foe.active.kind1, foe.active.kind2)`.
`formula_words.py` translates it and refuses whatever is more than that.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from goldsplit.games.duel import bestiary as book
from goldsplit.games.duel.battle_view import FACTS
from goldsplit.games.duel.errors import SpecError
from goldsplit.games.duel.formula_words import FUNCTIONS, Translator, first_of

SPEC = Path(__file__).with_name("features.yaml")

Observe = Callable[[Sequence[int]], tuple[float, ...]]

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@functools.cache
def compiled(file: Path = SPEC) -> tuple[Observe, int]:
    """The function from a short view to all features of a file, and how many they are."""
    texts = read_texts(file)
    return one_function(texts), len(texts)


def read_texts(file: Path) -> dict[str, str]:
    """The texts of a feature file by name, in order."""
    try:
        spec = yaml.load(file.read_text(encoding="utf-8"), Loader=_Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
        raise SpecError(
            f"{file.name} cannot be read: {problem}", "see features.yaml of goldsplit.games.duel"
        ) from None
    groups = spec.get("features") if isinstance(spec, dict) else None
    if not isinstance(groups, dict) or not all(isinstance(one, dict) and one for one in groups.values()):
        raise SpecError(
            f"{file.name} has no features", "write `features:`, groups in it, and `name: text` in each"
        )
    return {f"{group}.{name}": str(text) for group, texts in groups.items() for name, text in texts.items()}


def one_function(texts: dict[str, str]) -> Observe:
    """`observe(view)`: reads each path that some text uses once, then computes all texts in their order."""
    translator = Translator()
    values = [_translated(name, text, translator) for name, text in texts.items()]
    lines = ["def observe(view):"]
    places = [(local, *translator.places[path]) for path, local in translator.used.items()]
    monsters = sorted({monster for _, monster, _ in places if monster is not None})
    lines += [f"    facts{monster} = FACTS[view[{first_of(monster)}]]" for monster in monsters]
    for local, monster, position in places:
        lines.append(f"    {local} = {'view' if monster is None else f'facts{monster}'}[{position}]")
    module = ast.parse("\n".join([*lines, "    return ()"]))
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    _number(values)
    function.body[-1] = ast.Return(ast.Tuple(values, ast.Load()))
    known: dict[str, Any] = {
        **FUNCTIONS,
        "FACTS": FACTS,
        "VERSUS": book.VERSUS,
        "STAGE_FACTORS": book.STAGE_FACTORS,
        "__builtins__": {},
    }
    exec(compile(ast.fix_missing_locations(module), "<duel features>", "exec"), known)
    return _with_names(known["observe"], list(texts))


def _translated(name: str, text: str, translator: Translator) -> ast.expr:
    try:
        statements = ast.parse(text.strip()).body
        if len(statements) != 1 or not isinstance(statements[0], ast.Expr):
            raise SyntaxError("write one expression, without = and ;")
        value: ast.expr = translator.visit(statements[0].value)
    except SpecError as problem:
        raise SpecError(f"feature {name}: {problem.message} in: {text}", problem.hint) from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise SpecError(f"feature {name} is no expression: {text}", str(problem)) from None
    return value


def _number(values: list[ast.expr]) -> None:
    """Feature k is on line k + 1 of the code: a failure tells which one it was."""
    for line, value in enumerate(values, 1):
        for node in ast.walk(value):
            if isinstance(node, ast.expr):
                node.lineno = node.end_lineno = line
                node.col_offset = node.end_col_offset = 0


def _with_names(observe: Observe, names: list[str]) -> Observe:
    def observe_or_say(view: Sequence[int]) -> tuple[float, ...]:
        try:
            return observe(view)
        except (ArithmeticError, IndexError, TypeError) as problem:
            inner = problem.__traceback__ and problem.__traceback__.tb_next
            name = names[inner.tb_lineno - 1] if inner is not None else "?"
            raise cannot_be_computed(name, problem) from problem

    return observe_or_say


def cannot_be_computed(name: str, problem: Exception) -> SpecError:
    """What both twins say of a text that fails with the values of some battle."""
    return SpecError(
        f"feature {name} cannot be computed: {type(problem).__name__}: {problem}",
        "write a text that gives a number for every battle: hp can be 0, max_hp, speed and guard cannot",
    )
