"""Lines that call methods written in C, which cannot be replaced: only bursts that see all calls see them."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.record.inside.deep.call_watch import clock
from goldsplit.record.inside.deep.site_table import bytes_of, size_of
from goldsplit.record.inside.deep.sites import Note, Sites
from goldsplit.record.inside.deep.values import short

#: Method → kind, and modules of the types whose method it must be.
_METHODS: dict[str, tuple[str, tuple[str, ...]]] = {
    "astype": (SiteKind.CONVERSION, ("numpy",)),
    "tolist": (SiteKind.CONVERSION, ("numpy",)),
    "copy": (SiteKind.ALLOCATION, ("numpy",)),
    "flatten": (SiteKind.ALLOCATION, ("numpy",)),
    "choice": (SiteKind.SAMPLING, ("numpy.random._generator", "numpy.random.mtrand")),
    "permutation": (SiteKind.SAMPLING, ("numpy.random._generator", "numpy.random.mtrand")),
    "shuffle": (SiteKind.SAMPLING, ("numpy.random._generator", "numpy.random.mtrand")),
    "write": (SiteKind.OUTPUT, ("_io",)),
    "writelines": (SiteKind.OUTPUT, ("_io",)),
}
NATIVE_NAMES = frozenset(_METHODS)


class NativeSites:
    """The one native call that is open: such methods do not call user code."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.open: tuple[str, str, FrameType, Note, int, int] | None = None

    def begins(self, frame: FrameType, name: str, owner: Any) -> None:
        """User code calls a method of one of the names above on `owner`."""
        kind, modules = _METHODS[name]
        of = type(owner)
        if of.__module__ not in modules or not self.sites.is_users(frame.f_code):
            return
        note: Note = (None, None, "")
        if kind == SiteKind.CONVERSION:
            note = (None, size_of(owner), short(owner))
        elif kind == SiteKind.ALLOCATION:
            note = (None, bytes_of(owner), short(owner))
        self.open = (kind, f"{of.__name__}.{name}", frame, note, clock(), self.sites.watch.lost_ns)

    def ends(self) -> None:
        """The native call has returned, or raised."""
        opened, self.open = self.open, None
        if opened is None:
            return
        kind, callee, frame, note, begun, lost = opened
        watch = self.sites.watch
        if watch.ident:
            taken = clock() - begun - (watch.lost_ns - lost)
            self.sites.add(kind, callee, frame, (taken, 1), note, only_all=True)


def unbound(callable_: Any, first: Any) -> tuple[str, Any] | None:
    """Name and object of a call as `sys.monitoring` reports it; None if it is not one of those above."""
    name = getattr(callable_, "__name__", None)
    if name not in NATIVE_NAMES:
        return None
    owner = getattr(callable_, "__self__", None)
    if owner is None or isinstance(owner, type(sys)):
        owner = first
    return str(name), owner
