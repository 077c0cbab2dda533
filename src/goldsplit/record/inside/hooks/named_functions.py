"""The user's own functions, staged by what their source shows (see `naming`).

Methods are staged when their class is made, functions of a module after its import, those of the script as
soon as they are defined.
"""

from __future__ import annotations

import inspect
import operator
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from goldsplit.model.named_code import (
    BY_PURPOSE,
    NOT_SAID,
    WHOLE_RESULT,
    NamedFunction,
    denied,
    tells_going_on,
)
from goldsplit.model.stage import ACT, ENV_RESET, ENV_STEP, LEARN_LOSS, LOG, ROLLOUT, VEC_COPY
from goldsplit.model.wire import Counter, Key, Line, Variable
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.calling_loop import has_loop
from goldsplit.record.inside.core import count_step, settle_forward
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.hooks import own_counters
from goldsplit.record.inside.hooks.both_sides import by_caller, is_told_by_lines, remember_lines
from goldsplit.record.inside.hooks.mapping import is_left_alone, restage
from goldsplit.record.inside.hooks.networks import by_purpose, outside_learning
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.hooks.script_definitions import watch_script
from goldsplit.record.inside.hooks.stepping import add_step, counted_as
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.span_wrapping import AfterCall, is_staged
from goldsplit.record.own_source import named_functions, script_of

#: Stages that only stacks tell: the loop itself, and what is mostly the standard library's.
_NOT_SPANNED = frozenset({ROLLOUT, LOG})
_MISSING = object()
_OF_GAME = re.compile(r"(not )?self\.(\w+)( is None| is not None)?")
_SAYS_OVER: dict[str, Callable[[Any], bool]] = {
    "": bool,
    "not ": operator.not_,
    " is None": lambda value: value is None,
    " is not None": lambda value: value is not None,
}
_USUAL_END = 2  # (observation, reward, done, …)

_by_line: dict[tuple[str, int], NamedFunction] = {}
_by_name: dict[tuple[str, str], NamedFunction] = {}
"""By file and qualified name: for what a decorator without `functools.wraps` has hidden."""
_read: set[str] = set()
_plain: dict[type, bool] = {}
"""Types of results: whether asking them for an attribute runs no code of their own."""


def install(mapped: dict[str, str]) -> None:
    """Read the program's source, and wait for its classes, modules and functions. `mapped`: what the user has
    given a stage is left to that."""
    try:
        _install()
    except Exception as error:
        text = f"the program's source was not read: {error!r}"
        ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: text})


def _install() -> None:
    directory = Path.cwd()
    script = script_of(list(getattr(sys, "orig_argv", [])), directory)
    found = named_functions(os.environ[Variable.RUN_DIR], script, [str(directory), *sys.path])
    _read.update(found)
    own_counters.take_over([one for one in found.get(str(script), []) if one.own_counters])
    remember_lines(one for named_here in found.values() for one in named_here)
    for file, named_here in found.items():
        functions = [one for one in named_here if one.own_counters is None]  # not those that are some lines
        _by_line.update({(file, function.first): function for function in functions})
        _by_name.update({(file, function.function): function for function in functions})
        spanned = [one for one in functions if one.stage not in _NOT_SPANNED or is_told_by_lines(one.stage)]
        plain = [one for one in spanned if "." not in one.function]
        if plain and file != str(script):
            for name in module_names(Path(file), [directory, *map(Path, sys.path)]):
                when_imported(name, _stage_module)
        elif plain:
            watch_script(dict.fromkeys((one.function for one in plain), _stage_function))


def module_names(file: Path, roots: list[Path]) -> list[str]:
    """The names by which a file can be imported, seen from where modules are looked for."""
    names = [file.parent.name if file.stem == "__init__" else file.stem]
    for root in roots:
        if file.is_relative_to(root):
            parts = file.relative_to(root).with_suffix("").parts
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return list(dict.fromkeys(filter(None, names)))


def _code_of(function: Any) -> CodeType | None:
    """The code of a function below its decorators (`torch.no_grad()`, say)."""
    inner = inspect.unwrap(function) if isinstance(function, FunctionType) else None
    return getattr(inner, "__code__", None)


def named(function: Any) -> NamedFunction | None:
    """What a function is taken for."""
    code = _code_of(function)
    return None if code is None else _by_line.get((os.path.abspath(code.co_filename), code.co_firstlineno))  # noqa: PTH100


def file_of(module: str) -> str:
    """The source file of a module, as far as it is there already."""
    return os.path.abspath(getattr(sys.modules.get(module), "__file__", None) or "")  # noqa: PTH100


def stage_class(cls: type) -> bool:
    """Stage the methods of a class; whether its source was read."""
    file = file_of(cls.__module__)
    for name, value in list(vars(cls).items()):
        function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if isinstance(function, FunctionType):
            found = named(function) or _by_name.get((file, f"{cls.__qualname__}.{name}"))
            if found is not None:
                stage_as(cls, name, found)
    return file in _read


def _stage_module(module: ModuleType) -> None:
    for name, value in list(vars(module).items()):
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            _stage_function(module, name)


def _stage_function(module: ModuleType, name: str) -> bool:
    function = vars(module).get(name)
    if not isinstance(function, FunctionType):
        return is_staged(function)
    found = named(function) or _by_name.get((file_of(module.__name__), name))
    if found is not None:
        stage_as(module, name, found)
    return True


def stage_as(owner: Any, name: str, found: NamedFunction) -> None:
    """Make calls of an attribute spans of what its function is taken for."""
    value = vars(owner).get(name)
    told_by_lines = isinstance(value, FunctionType) and is_told_by_lines(found.stage)
    if is_left_alone(value) or hides_steps(found, value):
        return
    if found.stage == ROLLOUT and told_by_lines and not is_staged(value) and not runs_later(value):
        setattr(owner, name, by_caller(value, ROLLOUT, usual=value))
    if found.stage in _NOT_SPANNED:
        return
    if is_staged(value):
        restage(owner, name, found.stage)
        return
    if found.stage == BY_PURPOSE:
        torch = sys.modules.get("torch")
        if not isinstance(value, FunctionType):
            return
        usual = outside_learning(value) if torch is None else by_purpose(value, torch.is_grad_enabled)
        setattr(owner, name, by_caller(value, ACT, usual=usual) if told_by_lines else usual)
        return
    if told_by_lines and isinstance(value, FunctionType):
        setattr(owner, name, by_caller(value, found.stage, _after(found), after_turn=_after_turn(found)))
        return
    stage_attribute(owner, name, found.stage, _after(found))


def hides_steps(found: NamedFunction, value: Any) -> bool:
    """Whether a function only passes on to steps that are counted: those of many boards in turn, or all of a
    game (`run` of a class that has a `step`). As a span of the same stage it would be one step, and those
    inside it none."""
    code = _code_of(value) if found.stage == ENV_STEP else None
    if code is None:
        return False
    owner, _, name = found.function.rpartition(".")
    counted = {one.function for one in _by_line.values() if one.stage == ENV_STEP and one.counted}
    if found.counted:  # a wrapper's `step` that repeats another one's is the step
        return name != "step" and f"{owner}.step" in counted and "step" in names_in(code) and has_loop(code)
    return not {one.rpartition(".")[2] for one in counted}.isdisjoint(names_in(code))


def names_in(code: CodeType) -> set[str]:
    """Names that a function uses, in its comprehensions too."""
    inner = [names_in(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inner)


def _after(found: NamedFunction) -> AfterCall | None:
    if found.stage == ENV_STEP and found.counted:
        return count_step if found.ends_at in (None, _USUAL_END) else _counting(found.ends_at)
    if found.stage == ENV_RESET:
        return _count_next_game if found.counted else _count_reset
    if found.stage == VEC_COPY:
        return _settle_acting
    return _count_learning if found.stage == LEARN_LOSS else None


def _after_turn(found: NamedFunction) -> AfterCall | None:
    """A move of the other side is no step of the agent's, but it may end the game."""
    ends_at = found.ends_at
    if found.stage != ENV_STEP or not found.counted or ends_at is None:
        return None
    asked = asked_of_game(ends_at) if isinstance(ends_at, str) else []

    def after(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
        known, ended = end_of(args[0], asked) if asked and args else end_in(result, ends_at)
        kind = counted_as(node, "") if known else ""
        if kind:
            key = kind + Counter.EPISODES
            state.counts[key] = state.counts.get(key, 0) + (1 if ended else 0)

    return after


def runs_later(value: FunctionType) -> bool:
    """Whether a call only makes a coroutine or a generator."""
    return inspect.iscoroutinefunction(value) or inspect.isgeneratorfunction(value)


def _counting(ends_at: int | str) -> AfterCall:
    """A function that counts a step whose result says at this place whether the episode is over, or whose
    object does (`self.over`)."""
    asked = asked_of_game(ends_at) if isinstance(ends_at, str) else []

    def after(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
        known, ended = end_of(args[0], asked) if asked and args else end_in(result, ends_at)
        if known:  # without arguments: whose step it is, the source has told
            count_step(state, node, (), (None, None, ended))
        else:
            add_step(state, node, None, "")

    return after


def end_in(result: Any, ends_at: int | str) -> tuple[bool, Any]:
    """Whether a step's result says if the episode is over, and what it says."""
    if isinstance(ends_at, str) and " or " in ends_at:  # any of several parts tells it
        said = [end_in(result, part) for part in ends_at.split(" or ")]
        return all(known for known, _ in said), any(ended for _, ended in said)
    if tells_going_on(ends_at):
        known, goes_on = end_in(result, denied(ends_at))
        return known, _deny(goes_on)
    if isinstance(ends_at, str):
        place, _, part = ends_at.partition(".")
        if not part and place.isdigit():  # one of several places
            return end_in(result, int(place))
        if part and place.isdigit():  # a part of a part: `over["all"]`
            known, inner = end_in(result, int(place))
            return end_in(inner, part) if known else (False, None)
        if isinstance(result, dict):
            return ends_at in result, result.get(ends_at)
        if not _answers_plainly(type(result)):
            return False, None
        found = getattr(result, ends_at, _MISSING)
        return (False, None) if found is _MISSING or callable(found) else (True, found)
    if ends_at == WHOLE_RESULT:
        return True, result
    if ends_at != NOT_SAID and isinstance(result, tuple | list) and len(result) > ends_at:
        return True, result[ends_at]
    return False, None


def _deny(value: Any) -> Any:
    """The other way round, for each game of several."""
    if isinstance(value, list | tuple):
        return [not one for one in value]
    return value == 0 if getattr(value, "ndim", 0) else not value


def asked_of_game(ends_at: str) -> list[tuple[str, str]]:
    """What a step's object says when its game is over, each with the attribute: `self.lost or self.winner is
    not None`; nothing where the end is read in the step's result."""
    found = []
    for part in ends_at.split(" or "):
        match = _OF_GAME.fullmatch(part)
        if match:
            found.append((match[2], (match[1] or "") + (match[3] or "")))
    return found


def end_of(game: Any, asked: list[tuple[str, str]]) -> tuple[bool, bool]:
    """Whether a game's own attributes say if it is over, and what they say. Only what is stored in the object
    is read: a property would run code of the program's."""
    stored = getattr(game, "__dict__", None) if _answers_plainly(type(game)) else None
    if stored is None or any(hasattr(type(game), name) and name not in stored for name, _ in asked):
        return False, False
    values = [(stored[name], said) for name, said in asked if name in stored]
    return bool(values), any(_SAYS_OVER[said](value) for value, said in values)


def _answers_plainly(kind: type) -> bool:
    """Whether asking an object for an attribute runs no code that its class has for any name."""
    if kind not in _plain:
        own: Any = kind.__getattribute__
        _plain[kind] = not hasattr(kind, "__getattr__") and not isinstance(own, FunctionType)
    return _plain[kind]


def _count_reset(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Games that have begun: where no step says that its game is over, this is all that is known."""
    if node.counted_as is None:
        inside = node.parent if node.parent is not None and node.parent.stage == ENV_STEP else node
        node.counted_as = counted_as(inside, "")  # a step may begin the next game itself
    if node.counted_as == Counter.OWN:
        state.counts[Counter.RESETS] = state.counts.get(Counter.RESETS, 0) + 1
        if not ENGINE.first_step_ns:
            state.counts[Counter.FIRST_RESETS] = state.counts.get(Counter.FIRST_RESETS, 0) + 1


def _count_next_game(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """The same for what begins a game only where the last one is over: the first ones tell of none."""
    if ENGINE.first_step_ns:
        _count_reset(state, node, args, result)
    else:
        state.counts.setdefault(Counter.RESETS, 0)


def _settle_acting(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Actions were handed to workers: the forward passes before it were for acting."""
    settle_forward(False)
    state.forward_ns = 0


def _count_learning(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Updates of a learner without a framework."""
    state.counts[Counter.LEARNING_CALLS] = state.counts.get(Counter.LEARNING_CALLS, 0) + 1
