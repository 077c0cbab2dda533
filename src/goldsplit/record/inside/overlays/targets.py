"""Put something around one function of the program, named as `module:function` or `module:Class.method`.

A method is replaced when its class is made, a function after its module's import; one of the script itself as
soon as the script has defined it.
"""

from __future__ import annotations

import atexit
import difflib
import functools
import inspect
import os
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from goldsplit.model.wire import Variable
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.frameless_calls import is_frameless
from goldsplit.record.inside.hooks import class_statements
from goldsplit.record.inside.hooks.mapping import main_names
from goldsplit.record.inside.hooks.script_definitions import watch_script
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.own_failures import harmless, safely

Around = Callable[[Any], Any]
"""Makes the function that takes a function's place."""

_SCRIPT = ("__main__", "__mp_main__")
_METHODS_OF_CACHES = ("cache_info", "cache_clear", "cache_parameters")
_MARK = "_goldsplit_overlay"
MOST_WRAPPERS = 50


def replace(target: str, around: Around, changes: Changes) -> None:
    """Put `around` around the target, now or as soon as it exists."""
    module_name, _, path = target.partition(":")
    in_script = module_name in main_names()
    modules = {module_name, *(_SCRIPT if in_script else ())}
    owner_path, _, name = path.rpartition(".")

    def see(cls: type) -> None:
        if cls.__qualname__ == owner_path and cls.__module__ in modules:
            replace_attribute(cls, name, around, changes)

    def after_import(module: ModuleType) -> None:
        if not _replace_path(module, path, around, changes):
            changes.note(_has_no(module, path))

    if owner_path:
        class_statements.watch(see)
    if in_script:
        _wait_for_script(path, around, changes)
    if module_name not in _SCRIPT:
        when_imported(module_name, after_import)
    if os.environ.get(Variable.FIRST_PROCESS) == str(os.getpid()):
        atexit.register(
            safely(functools.partial(_tell_what_was_missed, module_name, path, in_script, changes))
        )


def _tell_what_was_missed(module_name: str, path: str, in_script: bool, changes: Changes) -> None:
    """The first process ends: say why the target was not there, if it was not."""
    module = sys.modules.get("__main__" if in_script else module_name)
    if module is None:
        close = difflib.get_close_matches(module_name, list(sys.modules), n=1, cutoff=0.7)
        also = f"; did you mean {close[0]}?" if close else ""
        changes.miss(f"module {module_name} was never imported{also}")
    elif path not in _paths_in(module):
        changes.miss(_has_no(module, path))


def _has_no(module: ModuleType, path: str) -> str:
    close = difflib.get_close_matches(path, _paths_in(module), n=1)
    return f"{module.__name__} has no {path}" + (f"; did you mean {close[0]}?" if close else "")


def _paths_in(module: ModuleType) -> list[str]:
    """The functions of a module, and the methods of its classes."""
    found = []
    for name, value in list(vars(module).items()):
        if isinstance(value, type):
            found += [f"{name}.{method}" for method in vars(value) if not method.startswith("__")]
        elif callable(value):
            found.append(name)
    return found


def _wait_for_script(path: str, around: Around, changes: Changes) -> None:
    """Replace a function of the script as soon as it can be: looked for by a short poll, and at instants at
    which scripts have mostly defined their functions, so that short runs get it too."""

    def when_defined(module: ModuleType, path: str) -> bool:
        with harmless(f"the overlay {changes.text}"):
            return _replace_path(module, path, around, changes)
        return True

    def look(*_: Any) -> None:
        module = sys.modules.get("__mp_main__") or sys.modules.get("__main__")
        if module is not None:
            when_defined(module, path)

    def after_preparing(module: ModuleType) -> None:
        real = module.prepare

        @functools.wraps(real)
        def prepare(data: Any) -> None:
            real(data)
            look()

        module.prepare = prepare  # type: ignore[attr-defined]

    watch_script({path: when_defined})
    class_statements.watch(look)
    when_imported("multiprocessing.spawn", after_preparing)
    first_step = ENGINE.on_first_step

    def at_first_step() -> None:
        look()
        if first_step is not None:
            first_step()

    ENGINE.on_first_step = at_first_step


def _replace_path(module: ModuleType, path: str, around: Around, changes: Changes) -> bool:
    owner: Any = module
    *outer, name = path.split(".")
    for part in outer:
        owner = vars(owner).get(part) if isinstance(owner, type | ModuleType) else None
        if owner is None:
            return False
    return replace_attribute(owner, name, around, changes)


def replace_attribute(owner: Any, name: str, around: Around, changes: Changes) -> bool:
    """Replace a class's own method or property, or a module's function; False if it is not there."""
    value = vars(owner).get(name)
    wrapped: Any
    if value is None:
        return False
    if isinstance(value, staticmethod | classmethod):
        inner: Any = value.__func__
        made: Any = _made(inner, around, changes)
        wrapped = value if made is inner else type(value)(made)
    elif isinstance(value, property):
        made = _made(value.fget, around, changes)
        wrapped = value if made is value.fget else property(made, value.fset, value.fdel, value.__doc__)
    elif callable(value) and not isinstance(value, type):
        wrapped = _made(value, around, changes)
    else:
        changes.note(f"{name} is a {type(value).__name__}, not a function")
        return True
    if wrapped is not value:
        changes.find(name)
        setattr(owner, name, wrapped)
        found = getattr(value, "__globals__", None)
        if isinstance(found, dict) and found.get(name) is value:
            found[name] = wrapped  # a worker's script: its functions do not look into its module
    return True


def _made(function: Any, around: Around, changes: Changes) -> Any:
    """The function with the overlay around it; as it is, if it has it already or cannot have it."""
    if changes.text in getattr(function, _MARK, ()):
        return function
    plain = inspect.unwrap(function) if isinstance(function, FunctionType) else function
    if inspect.iscoroutinefunction(plain) or inspect.isgeneratorfunction(plain):
        changes.note(f"{plain.__qualname__} is a coroutine or a generator: its answer cannot be kept")
        return function
    made = around(function)
    return function if made is function else dressed(made, function, changes.text)


def dressed(wrapper: Any, function: Any, text: str) -> Any:
    """A wrapper that has its function's name, and its methods where it is a cache."""
    functools.update_wrapper(wrapper, function)
    for method in _METHODS_OF_CACHES:
        if hasattr(function, method):
            setattr(wrapper, method, getattr(function, method))
    wrapper._goldsplit_overlay = (*getattr(function, _MARK, ()), text)
    wrapper.__wrapped__ = function
    return wrapper


def code_below(function: Any) -> Any:
    """The code of the program's own function below all wrappers; None if there is none."""
    for _ in range(MOST_WRAPPERS):
        is_cache = type(function).__name__ == "_lru_cache_wrapper"
        if not (isinstance(function, FunctionType) or is_frameless(function) or is_cache):
            return None
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            return getattr(function, "__code__", None)
        function = inner
    return None


def user_codes(is_users: Callable[[str], bool]) -> dict[str, list[Any]]:
    """The code of all functions and methods of the user's modules, by name."""
    found: dict[str, list[Any]] = {}
    for module_name, module in list(sys.modules.items()):
        if not isinstance(module, ModuleType) or not is_users(module_name):
            continue
        for owner in [module, *(one for one in vars(module).values() if isinstance(one, type))]:
            if owner is not module and getattr(owner, "__module__", None) != module_name:
                continue
            for name, value in list(vars(owner).items()):
                inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                code = code_below(inner) if callable(inner) else None
                if code is not None:
                    found.setdefault(name, []).append(code)
    return found
