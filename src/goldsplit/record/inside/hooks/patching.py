"""Replace an attribute by its staged version, whatever kind of attribute it is."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from goldsplit.record.inside.frameless_calls import placed
from goldsplit.record.inside.span_wrapping import AfterCall, is_staged, staged


def stage_attribute(
    owner: Any, name: str, stage: str, after: AfterCall | None = None, inherited: bool = False
) -> bool:
    """Make `owner.name` (a class's own method, or a module's function) a stage; False if it is not there."""
    attribute = vars(owner).get(name)
    if attribute is None and inherited and isinstance(owner, type):
        attribute = inspect.getattr_static(owner, name, None)
    if attribute is None or hasattr(attribute, "py_func"):  # compiled by Numba: callers compile against it
        return False
    if isinstance(attribute, staticmethod | classmethod):
        wrapped: Any = type(attribute)(staged(attribute.__func__, stage, after))
    elif callable(attribute) and not isinstance(attribute, type):
        if is_staged(attribute):
            return True
        how = inspect.getattr_static(type(attribute), "__get__", None)
        if isinstance(how, FunctionType):  # a decorator of the program's own says what it is bound to
            return False
        wrapped = staged(attribute, stage, after)
        if how is None and isinstance(owner, type):  # gets no `self`, as a builtin does; ours would
            wrapped = staticmethod(wrapped)
    else:
        return False
    setattr(owner, name, wrapped)
    placed(owner, name)
    return True


def stage_methods(owner: Any, stages: dict[str, str]) -> None:
    """Stage several attributes of one owner."""
    for name, stage in stages.items():
        stage_attribute(owner, name, stage)
