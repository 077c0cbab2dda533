"""Stand-ins for eval, exec and compile, which depend on their caller: on its variables and on its
`from __future__` imports. This module has no such import on purpose."""

import sys
from threading import get_ident
from types import FrameType
from typing import Any

from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.record.inside.deep.call_watch import clock

FUTURES = 0x1FE0000
"""The bits of a code object's flags that stand for `from __future__` imports."""
_OPTIMIZED = 0x0001


def _locals_of(frame: FrameType) -> Any:
    """What `locals()` gives in that frame."""
    found = frame.f_locals
    if sys.version_info >= (3, 13) and frame.f_code.co_flags & _OPTIMIZED:
        return dict(found)
    return found


def _make(callee: str, rewrite: Any) -> Any:
    def make(sites: Any, real: Any, read: Any) -> Any:
        watch = sites.watch

        def goldsplit_site(*args: Any, **kwargs: Any) -> Any:
            begun = clock()
            frame = sys._getframe(1)
            arguments, named = rewrite(frame, args, kwargs)
            if watch.ident != get_ident() or not sites.is_users(frame.f_code):
                return real(*arguments, **named)
            lost, events = watch.lost_ns, watch.events
            called = clock()
            result = real(*arguments, **named)
            taken = (clock() - called - (watch.lost_ns - lost), watch.events - events)
            watch.set_profile(None)
            try:
                note = read(args, kwargs, result)
                if note is not None:
                    sites.add(SiteKind.TEXT, callee, frame, taken, note)
            except Exception as error:
                watch.failed(read, error)
            sites.close_call(begun, lost, taken[0])
            return result

        goldsplit_site.__name__ = goldsplit_site.__qualname__ = callee
        goldsplit_site.__module__, goldsplit_site.__doc__ = "builtins", real.__doc__
        goldsplit_site.__wrapped__ = real  # type: ignore[attr-defined]
        return goldsplit_site

    return make


def with_variables(frame: FrameType, args: Any, kwargs: Any) -> Any:
    """eval and exec without variables of their own use the caller's."""
    given = args[1:3]
    named = {name: value for name, value in kwargs.items() if name in ("globals", "locals")}
    if (given and given[0] is not None) or named.get("globals") is not None or not args:
        return args, kwargs
    if len(given) > 1 or named.get("locals") is not None:
        return (args[0], frame.f_globals, *args[2:]), {k: v for k, v in kwargs.items() if k != "globals"}
    rest = {name: value for name, value in kwargs.items() if name not in named}
    return (args[0], frame.f_globals, _locals_of(frame)), rest


def with_futures(frame: FrameType, args: Any, kwargs: Any) -> Any:
    """compile inherits its caller's `from __future__` imports, unless told not to."""
    futures = frame.f_code.co_flags & FUTURES
    if not futures or len(args) > 4 or kwargs.get("dont_inherit"):
        return args, kwargs
    if len(args) > 3:
        return (*args[:3], args[3] | futures), kwargs
    return args, {**kwargs, "flags": kwargs.get("flags", 0) | futures}


TEXT_BUILTINS = {
    "eval": _make("eval", with_variables),
    "exec": _make("exec", with_variables),
    "compile": _make("compile", with_futures),
}
