"""Watch chosen functions by wrapping them where they are looked up: in their class or module.

On Python 3.11 a profile callback is called for every call of any code, which costs more than most of the
user's calls. So once it has shown which functions are expensive, only those are watched, through wrappers.
"""

from __future__ import annotations

import functools
import sys
from threading import get_ident
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from goldsplit.record.inside.deep.call_watch import Function, Watch, clock
from goldsplit.record.inside.deep.sites import user_modules
from goldsplit.record.inside.frameless_calls import is_frameless
from goldsplit.record.inside.span_wrapping import stage_of

_MOST_LAYERS = 6
#: An exception instead of a result: equal to nothing.
RAISED = object()

Owner = tuple[Any, str]
"""A class or module, and the name of an attribute of it."""


def owner_and_stage(code: CodeType, frame: FrameType) -> tuple[Owner | None, str]:
    """Where callers look a function up, and the stage that its calls are spans of, if they are."""
    owner = owner_of(code, frame)
    attribute = vars(owner[0]).get(owner[1]) if owner is not None else None
    return owner, stage_of(getattr(attribute, "__func__", attribute)) or ""


def owner_of(code: CodeType, frame: FrameType) -> Owner | None:
    """Where callers look a function up, found at its first call; None where they do not (a closure)."""
    name = code.co_name
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    if code.co_argcount and code.co_varnames[0] in ("self", "cls"):
        kind = first if isinstance(first, type) else type(first)
        for base in type.__getattribute__(kind, "__mro__"):
            mangled = f"_{base.__name__.lstrip('_')}{name}"
            for attribute in (name, mangled):
                if leads_to(type.__getattribute__(base, "__dict__").get(attribute), code):
                    return base, attribute
    module = sys.modules.get(str(frame.f_globals.get("__name__")))
    if module is None or vars(module) is not frame.f_globals:
        return None
    owner: Any = module
    *outer, last = code.co_qualname.split(".")
    for part in outer:
        owner = vars(owner).get(part) if isinstance(owner, type | ModuleType) else None
    if isinstance(owner, type | ModuleType) and leads_to(vars(owner).get(last), code):
        return owner, last
    return None


def leads_to(attribute: Any, code: CodeType) -> bool:
    """Whether calling an attribute runs this code, directly or through plain functions only."""
    if isinstance(attribute, staticmethod | classmethod):
        attribute = attribute.__func__
    elif type(attribute) is property:
        attribute = attribute.fget
    for _ in range(_MOST_LAYERS):
        if is_frameless(attribute):
            attribute = attribute.__wrapped__
        if not isinstance(attribute, FunctionType):
            return False
        if attribute.__code__ is code:
            return True
        attribute = attribute.__dict__.get("__wrapped__")
    return False


class Wrapping:
    """The wrappers of the open window."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.ident = 0
        """The thread whose calls are counted; 0: none."""
        self.placed: list[tuple[Any, str, Any, Any]] = []

    def place(self, functions: list[Function]) -> None:
        """Wrap functions, from now on."""
        here = {(id(owner), name) for owner, name, _, _ in self.placed}
        for function in functions:
            if function.owner is None or (id(function.owner[0]), function.owner[1]) in here:
                continue
            owner, name = function.owner
            before = vars(owner).get(name)
            if not leads_to(before, function.code):
                continue
            wrapped = self._around(before, function)
            try:
                setattr(owner, name, wrapped)
            except (AttributeError, TypeError):
                continue
            self.placed.append((owner, name, before, wrapped))
            if isinstance(owner, ModuleType):
                self._place_aliases(owner, before, wrapped)

    def restore(self) -> None:
        """Take all wrappers away, unless the program has put something else there."""
        self.ident = 0
        while self.placed:
            owner, name, before, wrapped = self.placed.pop()
            if vars(owner).get(name) is wrapped:
                setattr(owner, name, before)

    def _place_aliases(self, owner: ModuleType, before: Any, wrapped: Any) -> None:
        """Wrap it under the names that other user modules have imported it by, too."""
        for module in user_modules():
            for name, value in list(vars(module).items()):
                if value is before and module is not owner:
                    setattr(module, name, wrapped)
                    self.placed.append((module, name, before, wrapped))

    def _around(self, attribute: Any, function: Function) -> Any:
        if isinstance(attribute, staticmethod | classmethod):
            return type(attribute)(self._wrapper(attribute.__func__, function))
        if type(attribute) is property:
            getter = self._wrapper(attribute.fget, function)
            return property(getter, attribute.fset, attribute.fdel, attribute.__doc__)
        return self._wrapper(attribute, function)

    def _wrapper(self, fn: Any, function: Function) -> Any:
        watch = self.watch

        def goldsplit_call(*args: Any, **kwargs: Any) -> Any:
            if self.ident != get_ident():
                return fn(*args, **kwargs)
            try:
                begun = clock()
                watch.enter(function, [*args, *kwargs.values()] if kwargs else list(args), begun)
                if watch.spent_ns() > watch.limit_ns:
                    watch.cut()
            except Exception as error:
                self.ident = 0
                watch.failed(watch.enter, error)
            result = RAISED
            try:
                result = fn(*args, **kwargs)
            finally:
                try:
                    watch.leave(function, result, clock())
                except Exception as error:
                    self.ident = 0
                    watch.failed(watch.leave, error)
            return result

        functools.update_wrapper(goldsplit_call, fn)
        goldsplit_call._torchdynamo_inline = fn  # type: ignore[attr-defined]
        return goldsplit_call
