"""The user's own timers: how often their methods run is a fact. Their figures are not read."""

from __future__ import annotations

import functools
import inspect
from types import FunctionType
from typing import Any

from goldsplit.model.fact_wire import FACT_SEPARATOR, FactKind
from goldsplit.model.usual_names import looks_like_timer
from goldsplit.model.wire import Counter
from goldsplit.record.inside.core import count_one

_AT_START = frozenset({"__init__", "__new__", "__init_subclass__", "__repr__", "__str__", "__del__"})


def count_timer(cls: type) -> None:
    """Count the calls of a class's own methods, if the class is named like a timer."""
    for name, method in list(vars(cls).items()):
        if isinstance(method, FunctionType) and name not in _AT_START:
            if not looks_like_timer(f"{cls.__name__}.{name}"):
                return
            if not inspect.iscoroutinefunction(method):
                setattr(cls, name, counted(method))


def counted(method: FunctionType) -> Any:
    """The method, and each of its calls is a fact at its place; nothing else changes."""
    code = method.__code__
    place = f"{code.co_filename}:{code.co_firstlineno}:{code.co_qualname}"
    key = Counter.FACT_COUNT + FACT_SEPARATOR.join((FactKind.TIMER_CALL, "", place))

    @functools.wraps(method)
    def timer_call(*args: Any, **kwargs: Any) -> Any:
        count_one(key)
        return method(*args, **kwargs)

    return timer_call
