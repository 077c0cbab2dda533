"""Single lines of user code that call something worth knowing about.

While a window is open, the functions in question are replaced where callers look them up: in their module, in
their class, and under the names that the user's own modules imported them by. Our stand-in calls the real one
with the same arguments; it looks only while its thread is being watched and the caller is user code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import get_ident
from types import CodeType, FrameType, ModuleType
from typing import Any

from goldsplit.model.stack_frames import is_library, is_shipped_module
from goldsplit.record.inside.deep.call_watch import Watch, clock, is_users

MOST_SITES = 3000
MOST_KEYS = 500

Note = tuple[Any, float | None, str]
"""What distinguishes the call (None: not compared), its amount (None: not known), and a description."""
Reader = Callable[[tuple[Any, ...], dict[str, Any], Any], Note | None]
"""Reads a call's arguments and result; None: this call is not of the kind after all."""

Taken = tuple[int, int]
"""What a call took on the clock that stands still in our own code, and the events during it."""

NOTHING: Note = (None, None, "")


class SiteRow:
    """What was seen at one line."""

    __slots__ = (
        "amount", "amounts", "callee", "calls", "code", "compared", "detail", "events", "figures", "keys",
        "kind", "line", "ns", "only_all", "stages", "touched",
    )  # fmt: skip

    def __init__(self, kind: str, callee: str, code: CodeType, line: int) -> None:
        self.kind = kind
        self.callee = callee
        self.code = code
        self.line = line
        self.calls = self.ns = self.events = self.compared = self.amounts = 0
        self.amount = 0.0
        self.detail = ""
        self.only_all = False
        self.keys: set[Any] = set()
        self.stages: dict[str, int] = {}
        self.touched = False
        self.figures = ([0, 0, 0], [0, 0, 0])
        """Calls, nanoseconds and events in segments that ended with a step, and with an update."""

    def end_segment(self, kind: int, weight: float) -> None:
        """Add what was seen in a segment to the figures; a segment of weight 0 is forgotten."""
        if weight:
            figures = self.figures[kind]
            figures[0] += self.calls
            figures[1] += self.ns
            figures[2] += self.events
        self.calls = self.ns = self.events = 0
        self.touched = False


class Sites:
    """All lines seen so far, and the stand-ins of the open window."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.rows: dict[tuple[str, CodeType, int], SiteRow] = {}
        self.replaced: list[tuple[Any, str, Any, Any]] = []
        self.stand_ins: dict[int, tuple[Any, Any]] = {}
        self._users: dict[CodeType, bool] = {}

    def is_users(self, code: CodeType) -> bool:
        """Whether a caller is user code."""
        known = self._users.get(code)
        if known is None:
            known = False
            try:
                known = is_users(code)
            except Exception as error:
                self.watch.failed(is_users, error)
            self._users[code] = known
        return known

    def add(
        self, kind: str, callee: str, frame: FrameType, taken: Taken, note: Note, only_all: bool = False
    ) -> None:
        """Count a call that user code made in `frame`; `only_all`: other bursts cannot see it."""
        place = (callee, frame.f_code, frame.f_lineno)
        row = self.rows.get(place)
        if row is None:
            if len(self.rows) >= MOST_SITES:
                return
            row = self.rows[place] = SiteRow(kind, callee, frame.f_code, frame.f_lineno)
            row.only_all = only_all
        row.calls += 1
        row.ns += taken[0]
        row.events += taken[1]
        key, amount, detail = note
        if key is not None:
            row.compared += 1
            if len(row.keys) < MOST_KEYS:
                row.keys.add(key)
        if amount is not None:
            row.amount += amount
            row.amounts += 1
        if not row.touched:
            row.touched = True
            self.watch.touched_sites.append(row)
            row.detail = row.detail or detail
            stage = self.watch.stage()
            row.stages[stage] = row.stages.get(stage, 0) + 1

    def stand_in(self, kind: str, callee: str, real: Any, read: Reader, frames_up: int = 1) -> Any:
        """A function that calls `real`, and looks at the call if its thread is watched; its caller is so many
        frames up."""
        watch = self.watch

        def goldsplit_site(*args: Any, **kwargs: Any) -> Any:
            if watch.ident != get_ident():
                return real(*args, **kwargs)
            begun = clock()
            frame = sys._getframe(frames_up)
            if not self.is_users(frame.f_code):
                return real(*args, **kwargs)
            lost, events = watch.lost_ns, watch.events
            called = clock()
            result = real(*args, **kwargs)
            taken = (clock() - called - (watch.lost_ns - lost), watch.events - events)
            watch.set_profile(None)
            try:
                note = read(args, kwargs, result)
                if note is not None:
                    self.add(kind, callee, frame, taken, note)
            except Exception as error:
                watch.failed(read, error)
            self.close_call(begun, lost, taken[0])
            return result

        copy_names(goldsplit_site, real)
        return goldsplit_site if frames_up > 1 else self.keep(real, goldsplit_site)

    def keep(self, real: Any, stand_in: Any) -> Any:
        """Remember a stand-in, for later windows and for the real one's aliases."""
        self.stand_ins[id(real)] = (real, stand_in)
        return stand_in

    def known(self, real: Any) -> Any:
        """The stand-in of a function, if it has one."""
        found = self.stand_ins.get(id(real))
        return found[1] if found is not None and found[0] is real else None

    def close_call(self, begun_ns: int, lost_ns: int, taken_ns: int) -> None:
        """What the call took beside the real one is our cost, unless it is counted already; then look on."""
        watch = self.watch
        watch.spend(max(0, clock() - begun_ns - taken_ns - (watch.lost_ns - lost_ns)))
        if watch.ident:
            watch.set_profile(watch.callback)

    def replace(self, owner: Any, name: str, stand_in: Any) -> None:
        """Put a stand-in where callers look; what was there comes back when the window closes."""
        before = vars(owner).get(name, self)
        try:
            setattr(owner, name, stand_in)
        except (AttributeError, TypeError):
            return
        self.replaced.append((owner, name, before, stand_in))

    def replace_aliases(self, modules: list[ModuleType]) -> None:
        """Replace the real ones under the names that the user's modules know them by, too."""
        for module in modules:
            for name, value in list(vars(module).items()):
                stand_in = self.known(value)
                if stand_in is not None:
                    self.replace(module, name, stand_in)

    def restore(self) -> None:
        """Put everything back, unless the program has put something else there meanwhile."""
        while self.replaced:
            owner, name, before, stand_in = self.replaced.pop()
            if vars(owner).get(name) is stand_in:
                if before is self:
                    delattr(owner, name)
                else:
                    setattr(owner, name, before)


def copy_names(stand_in: Any, real: Any) -> None:
    """Let a stand-in be printed and pickled as the function that it stands for."""
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        try:
            setattr(stand_in, name, getattr(real, name))
        except (AttributeError, TypeError):
            continue
    stand_in.__wrapped__ = real


_known_names: list[str] = []
_user_names: list[str] = []


def user_modules() -> list[ModuleType]:
    """The user's modules that are loaded. Thousands of modules are checked, so only after an import."""
    names = list(sys.modules)
    if names != _known_names:
        _known_names[:] = names
        _user_names[:] = [name for name in names if _is_users_module(name, sys.modules.get(name))]
    found = [module for module in map(sys.modules.get, _user_names) if isinstance(module, ModuleType)]
    main = sys.modules.get("__main__")
    return found if main is None or main in found else [*found, main]


def _is_users_module(name: str, module: Any) -> bool:
    file = getattr(module, "__file__", None)
    ours = (name == "goldsplit" or name.startswith("goldsplit.")) and not is_shipped_module(name)
    return isinstance(module, ModuleType) and bool(file) and not ours and not is_library(str(file))
