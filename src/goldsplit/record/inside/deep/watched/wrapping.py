"""Watch functions by wrapping them where callers look them up: in their class or module. Python 3.11."""

from __future__ import annotations

from types import CodeType, FunctionType, ModuleType
from typing import Any

from goldsplit.record.inside.core import IS_COMPILED, leave_recursion_to, watched_call
from goldsplit.record.inside.deep.sites import user_modules
from goldsplit.record.inside.deep.watched.watched_function import WatchedFunction
from goldsplit.record.inside.frameless_calls import is_frameless, step_aside
from goldsplit.record.inside.span_wrapping import stage_of

_MOST_LAYERS = 6


def is_watched(call: Any) -> bool:
    """Whether something is one of the compiled callables that count calls."""
    return IS_COMPILED and type(call) is watched_call


def leads_to(attribute: Any, code: CodeType) -> bool:
    """Whether calling an attribute runs this code, directly or through plain functions only."""
    if isinstance(attribute, staticmethod | classmethod):
        attribute = attribute.__func__
    elif type(attribute) is property:
        attribute = attribute.fget
    for _ in range(_MOST_LAYERS):
        while is_frameless(attribute) or is_watched(attribute):
            attribute = attribute.__wrapped__
        if not isinstance(attribute, FunctionType):
            return False
        if attribute.__code__ is code:
            return True
        attribute = attribute.__dict__.get("__wrapped__")
    return False


class Wrapping:
    """The wrappers that are in place."""

    def __init__(self) -> None:
        self.placed: dict[WatchedFunction, list[tuple[Any, str, Any, Any]]] = {}
        leave_recursion_to(self.step_aside)

    def place(self, function: WatchedFunction) -> bool:
        """Wrap a function from now on; False if callers do not look it up where it was."""
        if function in self.placed or function.owner is None:
            return function in self.placed
        owner, name = function.owner
        before = vars(owner).get(name)
        if not leads_to(before, function.code):
            return False
        function.span_stage = stage_of(getattr(before, "__func__", before)) or ""
        wrapped = _around(before, function)
        places = [(owner, name), *aliases_of(owner, before)]
        done = []
        for where, alias in places:
            try:
                setattr(where, alias, wrapped)
            except (AttributeError, TypeError):
                continue
            done.append((where, alias, before, wrapped))
        if done:
            self.placed[function] = done
        return bool(done)

    def remove(self, function: WatchedFunction) -> None:
        """Take a function's wrappers away, unless the program has put something else there."""
        for owner, name, before, wrapped in self.placed.pop(function, ()):
            if vars(owner).get(name) is wrapped:
                setattr(owner, name, before)

    def close(self) -> None:
        """Take all of them away."""
        for function in list(self.placed):
            self.remove(function)

    def step_aside(self, call: Any) -> None:
        """A function calls itself so often that wrappers would use up the stack: take them away."""
        if not is_watched(call):
            step_aside(call)
            return
        for function, places in list(self.placed.items()):
            if any(core_of(wrapped) is call for *_, wrapped in places):
                self.remove(function)
                function.rests_until_ns = 1 << 62


def core_of(attribute: Any) -> Any:
    """The callable itself, in a class method, a static method or a property."""
    if type(attribute) is property:
        return attribute.fget
    return getattr(attribute, "__func__", attribute)


def aliases_of(owner: Any, value: Any) -> list[tuple[Any, str]]:
    """The names by which other modules of the user know a function of a module."""
    if not isinstance(owner, ModuleType):
        return []
    return [
        (module, name)
        for module in user_modules()
        if module is not owner
        for name, known in list(vars(module).items())
        if known is value
    ]


def _around(attribute: Any, function: WatchedFunction) -> Any:
    if isinstance(attribute, staticmethod | classmethod):
        return type(attribute)(_wrapper(attribute.__func__, function))
    if type(attribute) is property:
        getter = _wrapper(attribute.fget, function)
        return property(getter, attribute.fset, attribute.fdel, attribute.__doc__)
    return _wrapper(attribute, function)


def _wrapper(fn: Any, function: WatchedFunction) -> Any:
    made = watched_call(fn, None, function.core)
    if not IS_COMPILED:
        made._torchdynamo_inline = fn
    return made
