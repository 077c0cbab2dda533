"""Reads the source of hot functions and puts their samples beside it.

Only files with the user's own hot functions are read, as they are now: a file that was changed after the run
began is left alone, because its lines may have moved.
"""

from __future__ import annotations

import ast
import dataclasses
from collections import defaultdict
from collections.abc import Iterator

from goldsplit.analyse.source_look.argument_senses import argument_sense
from goldsplit.analyse.source_look.late_crops import thinned_late
from goldsplit.analyse.source_look.slow_idioms import list_attributes, slow_idioms
from goldsplit.analyse.stacks.source_heat import ReadSource
from goldsplit.model.finding import Place
from goldsplit.model.hot_code.function_cost import FunctionCost
from goldsplit.model.hot_code.source_look import ArgumentSense, Idiom, LateCrop, SourceLook
from goldsplit.model.profile import Profile

MOST_FILES = 12
LONGEST_LINE = 80
#: A function with less of the run in its own lines has no line worth a look.
LEAST_SHARE = 0.01
#: A handler with less of its function's own time is for an exception, not for an answer.
LEAST_HANDLED = 0.05
#: What tells `goldsplit env` which actions there are.
_ACTIONS = frozenset(
    {"action_space", "n_actions", "num_actions", "action_size", "action_dim", "valid_actions"}
    | {"legal_actions", "get_valid_actions", "get_legal_actions", "action_masks", "action_mask"}
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WITHS = (ast.With, ast.AsyncWith)
Beside = dict[str, tuple[Function, ast.ClassDef | None]]
"""All functions of a file."""
Read = tuple[FunctionCost, Function, list[str], Beside]
"""A hot function: its samples, its source, its file."""
Ranges = dict[str, tuple[tuple[int, int], ...]]


def with_source_look(profile: Profile, read: ReadSource) -> Profile:
    """The profile with what the source of its hot functions says."""
    hot: dict[str, list[FunctionCost]] = defaultdict(list)
    for cost in profile.functions:
        hot[cost.place.file].append(cost)
    idioms: list[Idiom] = []
    arguments: dict[str, int] = {}
    senses: dict[str, ArgumentSense] = {}
    loops: Ranges = {}
    withs: Ranges = {}
    drivable: list[str] = []
    read_of: dict[str, Read] = {}
    for file, costs in list(hot.items())[:MOST_FILES]:
        tree, text = _parsed(file, profile.run.started, read)
        if tree is None:
            continue
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        drivable += [f"{file}:{one.name}" for one in classes if _is_drivable(one)]
        functions = {name: (node, owner) for name, node, owner in _functions(tree)}
        for cost in costs:
            node, owner = functions.get(cost.place.function, (None, None))
            if node is not None:
                arguments[cost.key] = _arguments(node, owner)
                senses[cost.key] = argument_sense(node)
                loops[cost.key], withs[cost.key] = _bodies(node, _LOOPS), _bodies(node, _WITHS)
                idioms += _hot_idioms(cost, node, owner, text)
                read_of[cost.key] = (cost, node, text, functions)
    idioms.sort(key=lambda one: -one.share)
    crops = tuple(_late_crops(read_of))
    look = SourceLook(idioms, arguments, loops, withs, tuple(drivable), crops, senses)
    return dataclasses.replace(profile, source=look)


def _parsed(file: str, started: float, read: ReadSource) -> tuple[ast.Module | None, list[str]]:
    try:
        text, changed = read(file)
        if started and changed > started:
            return None, []
        return ast.parse("\n".join(text)), text
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None, []


def _functions(tree: ast.Module) -> Iterator[tuple[str, Function, ast.ClassDef | None]]:
    """Every function with its qualified name, as stacks have it, and its class."""

    def inside(
        node: ast.AST, prefix: str, owner: ast.ClassDef | None
    ) -> Iterator[tuple[str, Function, ast.ClassDef | None]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield prefix + child.name, child, owner
                yield from inside(child, f"{prefix}{child.name}.<locals>.", None)
            elif isinstance(child, ast.ClassDef):
                yield from inside(child, f"{prefix}{child.name}.", child)
            else:
                yield from inside(child, prefix, owner)

    return inside(tree, "", None)


def _bodies(node: Function, kinds: tuple[type[ast.stmt], ...]) -> tuple[tuple[int, int], ...]:
    """First and last line of each statement of some kinds inside a function; of loops what is repeated."""
    found = [one for one in ast.walk(node) if isinstance(one, kinds)]
    firsts = [getattr(one, "body")[0] if kinds is _LOOPS else one for one in found]  # noqa: B009
    return tuple((first.lineno, one.end_lineno or 0) for first, one in zip(firsts, found, strict=True))


def _arguments(node: Function, owner: ast.ClassDef | None) -> int:
    """How many arguments a call has, beside `self`."""
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    static = any(ast.unparse(one) == "staticmethod" for one in node.decorator_list)
    return len(every) - (1 if owner is not None and not static and every else 0)


def _hot_idioms(
    cost: FunctionCost, node: Function, owner: ast.ClassDef | None, text: list[str]
) -> Iterator[Idiom]:
    """The slow idioms of a function with the samples on their lines, one for each kind."""
    if cost.self_share < LEAST_SHARE:
        return
    lines: dict[str, dict[int, float]] = defaultdict(dict)
    for seen in slow_idioms(node, list_attributes(owner) if owner is not None else frozenset()):
        if seen.only_if is None or _share_of(cost, *seen.only_if) >= LEAST_HANDLED * cost.self_share:
            lines[seen.kind] |= dict.fromkeys(range(seen.first, seen.last + 1), seen.part)
    for kind, parts in lines.items():
        shares = {line: part * cost.own_lines[line] for line, part in parts.items() if line in cost.own_lines}
        if not shares:
            continue
        part = sum(shares.values()) / sum(cost.own_lines[line] for line in shares)
        hottest = max(shares, key=lambda line: shares[line])
        share = sum(shares.values())
        yield Idiom(
            kind=kind,
            place=Place(cost.place.file, hottest, cost.place.function),
            text=_clip(text[hottest - 1]) if hottest <= len(text) else "",
            lines=tuple(sorted(shares)),
            share=share,
            part_of_function=min(1.0, share / cost.self_share),
            part_of_lines=part,
        )


def _late_crops(read_of: dict[str, Read]) -> Iterator[LateCrop]:
    """Functions that thin out pictures too late."""
    for cost, node, text, beside in read_of.values():
        owner = cost.place.function.rpartition(".")[0]

        def called(
            call: ast.Call, caller: str = cost.key, owner: str = owner, beside: Beside = beside
        ) -> Function | None:
            """Which function a call is of: samples tell, in whatever file it is; else those of this file."""
            own = isinstance(call.func, ast.Attribute)
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            for key, (other, found, _, _) in read_of.items():
                if found.name == name and caller in other.within and key != caller:
                    return found
            return beside.get(f"{owner}.{name}" if own and owner else name, (None, None))[0]

        seen = thinned_late(node, called)
        if seen is not None:
            line = _clip(text[seen.crop - 1]) if seen.crop <= len(text) else ""
            yield LateCrop(Place(cost.place.file, seen.crop, cost.place.function), line, seen.lines)


def _share_of(cost: FunctionCost, first: int, last: int) -> float:
    return sum(share for line, share in cost.own_lines.items() if first <= line <= last)


def _is_drivable(node: ast.ClassDef) -> bool:
    """Whether `goldsplit env` can make and play a class."""
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    if "step" not in methods or "reset" not in methods or any(map(_is_abstract, methods.values())):
        return False
    made = methods.get("__init__")
    if made is None and node.bases:
        return False  # what its base needs is not known
    if made is not None:
        positional = [*made.args.posonlyargs, *made.args.args]
        needed = len(positional) - 1 - len(made.args.defaults)
        named = [
            one
            for one, default in zip(made.args.kwonlyargs, made.args.kw_defaults, strict=True)
            if default is None
        ]
        if needed > 0 or named:
            return False
    names = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    names |= {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} | set(methods)
    return bool(names & _ACTIONS)


def _is_abstract(node: ast.FunctionDef) -> bool:
    """Whether only a class derived from this one has the method."""
    marks = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    raised = [one.exc for one in node.body if isinstance(one, ast.Raise) and one.exc is not None]
    return "abstractmethod" in marks or any("NotImplementedError" in ast.unparse(one) for one in raised)


def _clip(text: str) -> str:
    plain = text.strip()
    return plain if len(plain) <= LONGEST_LINE else plain[: LONGEST_LINE - 1] + "…"
