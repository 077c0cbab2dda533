"""The user's functions that are loaded, by file and name: where callers look them up, and their code."""

from __future__ import annotations

import sys
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from goldsplit.model.stack_frames import is_library
from goldsplit.record.inside.deep.attributes import codes_of
from goldsplit.record.inside.deep.call_watch import is_users
from goldsplit.record.inside.deep.sites import user_modules

_LATER = 0x20 | 0x80 | 0x200
MOST_NESTED = 4


class Found(NamedTuple):
    """One function of the user's code."""

    code: CodeType
    kind: str
    """function, method or property."""
    owner: tuple[Any, str] | None
    """A module or class and the name of its attribute; None: it is made inside another function."""


class CodeIndex:
    """All functions of the user's modules and classes. Made again only when a module was imported."""

    def __init__(self) -> None:
        self.known: list[str] = []
        self.by_name: dict[str, list[Found]] = {}

    def refresh(self) -> None:
        """Look through the user's modules, if there are new ones."""
        names = list(sys.modules)
        if names == self.known:
            return
        self.known, self.by_name = names, {}
        done: set[int] = set()
        for module in user_modules():
            self._add_owner(module, vars(module), done, 0)

    def codes(self) -> dict[str, list[CodeType]]:
        """All code by bare name."""
        return {name: [found.code for found in some] for name, some in self.by_name.items()}

    def at(self, file: str, name: str, line: int) -> Found | None:
        """The function of this bare name that has this line of this file."""
        fitting = [
            found
            for found in self.by_name.get(name.rpartition(".")[2], ())
            if same_file(found.code.co_filename, file)
            and found.code.co_firstlineno <= line <= last_line(found.code)
        ]
        return min(fitting, key=lambda found: (found.owner is None, -found.code.co_firstlineno), default=None)

    def of(self, code: CodeType) -> Found | None:
        """The function with this code."""
        return next((found for found in self.by_name.get(code.co_name, ()) if found.code is code), None)

    def _add_owner(self, owner: Any, attributes: Any, done: set[int], depth: int) -> None:
        if id(owner) in done or depth > MOST_NESTED:
            return
        done.add(id(owner))
        for name, value in list(attributes.items()):
            if isinstance(value, type):
                if is_users_class(value):
                    self._add_owner(value, type.__getattribute__(value, "__dict__"), done, depth + 1)
            else:
                self._add(owner, name, value)

    def _add(self, owner: Any, name: str, value: Any) -> None:
        kind = "property" if type(value) is property else "method" if isinstance(owner, type) else "function"
        for code in codes_of(value):
            if is_users(code) and not code.co_flags & _LATER:
                self._keep(Found(code, kind, (owner, name)))
                self._add_nested(code, 0)

    def _add_nested(self, code: CodeType, depth: int) -> None:
        for const in code.co_consts:
            if isinstance(const, CodeType) and depth < MOST_NESTED:
                if const.co_name[:1] != "<" and not const.co_flags & _LATER:
                    self._keep(Found(const, "function", None))
                self._add_nested(const, depth + 1)

    def _keep(self, found: Found) -> None:
        some = self.by_name.setdefault(found.code.co_name, [])
        if all(other.code is not found.code for other in some):
            some.append(found)


def is_users_class(kind: Any) -> bool:
    """Whether a class was made in one of the user's modules."""
    module = sys.modules.get(str(type.__getattribute__(kind, "__module__")))
    file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
    return bool(file) and not is_library(str(file))


def same_file(one: str, other: str) -> bool:
    """Whether two names are of one file: a script's own may be given as it was on the command line."""
    return one == other or (other.endswith("/" + one.removeprefix("./")) and not one.startswith("/"))


def last_line(code: CodeType) -> int:
    """The last line of a function, with the functions inside it."""
    lines = [line for *_, line in code.co_lines() if line is not None]
    inner = [last_line(const) for const in code.co_consts if isinstance(const, CodeType)]
    return max([code.co_firstlineno, *lines, *inner])
