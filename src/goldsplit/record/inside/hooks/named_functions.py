"""The user's own functions, staged by what their source shows (see `naming`).

Methods are staged when their class is made, functions of a module after its import, those of the script as
soon as they are defined.
"""

from __future__ import annotations

import inspect
import os
import sys
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from goldsplit.model.named_code import BY_PURPOSE, NOT_SAID, WHOLE_RESULT, NamedFunction
from goldsplit.model.stage import ENV_RESET, ENV_STEP, LEARN_LOSS, LOG, ROLLOUT
from goldsplit.model.wire import Counter, Key, Line, Variable
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import count_step
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.hooks.mapping import is_left_alone, watch_script
from goldsplit.record.inside.hooks.networks import by_purpose
from goldsplit.record.inside.hooks.patching import stage_attribute
from goldsplit.record.inside.hooks.stepping import add_step, counted_as
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.span_wrapping import AfterCall, is_staged
from goldsplit.record.own_source import named_functions, script_of

#: Stages that only stacks tell: the loop itself, and what is mostly the standard library's.
_NOT_SPANNED = frozenset({ROLLOUT, LOG})
_MISSING = object()
_USUAL_END = 2  # (observation, reward, done, …)

_by_line: dict[tuple[str, int], NamedFunction] = {}
_by_name: dict[tuple[str, str], NamedFunction] = {}
"""By file and qualified name: for what a decorator without `functools.wraps` has hidden."""
_read: set[str] = set()


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
    for file, functions in found.items():
        _by_line.update({(file, function.first): function for function in functions})
        _by_name.update({(file, function.function): function for function in functions})
        plain = [one for one in functions if "." not in one.function and one.stage not in _NOT_SPANNED]
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
    if found.stage in _NOT_SPANNED or is_staged(value) or is_left_alone(value):
        return
    if found.stage == BY_PURPOSE:
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, FunctionType):  # else there is nothing to tell it by
            setattr(owner, name, by_purpose(value, torch.is_grad_enabled))
        return
    stage_attribute(owner, name, found.stage, _after(found))


def _after(found: NamedFunction) -> AfterCall | None:
    if found.stage == ENV_STEP and found.counted:
        return count_step if found.ends_at in (None, _USUAL_END) else _counting(found.ends_at)
    if found.stage == ENV_RESET:
        return _count_reset
    return _count_learning if found.stage == LEARN_LOSS else None


def _counting(ends_at: int | str) -> AfterCall:
    """A function that counts a step whose result says at this place whether the episode is over."""

    def after(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
        known, ended = end_in(result, ends_at)
        add_step(state, node, (None, None, ended) if known else None, "")

    return after


def end_in(result: Any, ends_at: int | str) -> tuple[bool, Any]:
    """Whether a step's result says if the episode is over, and what it says."""
    if isinstance(ends_at, str):
        if isinstance(result, dict):
            return ends_at in result, result.get(ends_at)
        found = inspect.getattr_static(result, ends_at, _MISSING)
        return (False, None) if found is _MISSING or callable(found) else (True, getattr(result, ends_at))
    if ends_at == WHOLE_RESULT:
        return True, result
    if ends_at != NOT_SAID and isinstance(result, tuple | list) and len(result) > ends_at:
        return True, result[ends_at]
    return False, None


def _count_reset(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Games that have begun: where no step says that its game is over, this is all that is known."""
    if node.counted_as is None:
        node.counted_as = counted_as(node, "")
    if node.counted_as == Counter.OWN:
        state.counts[Counter.RESETS] = state.counts.get(Counter.RESETS, 0) + 1


def _count_learning(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Updates of a learner without a framework."""
    state.counts[Counter.LEARNING_CALLS] = state.counts.get(Counter.LEARNING_CALLS, 0) + 1
