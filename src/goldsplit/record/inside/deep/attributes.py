"""An object's own attributes, read without asking for its `__dict__`.

Up to Python 3.12 an object keeps its attributes in place until some code asks for its dictionary. From then
on, for as long as the object lives, each access to it is slower: our look would cost the program time long
after it. So attributes are read by name, and the garbage collector tells whether those were all.
"""

from __future__ import annotations

from gc import get_referents
from types import CodeType, FunctionType
from typing import Any

ABSENT: Any = object()
_MOST_LAYERS = 6
_get = object.__getattribute__


class OwnAttributes:
    """Reads the objects of one class."""

    __slots__ = ("candidates", "layouts")

    def __init__(self, kind: Any) -> None:
        in_class = {name for base in _mro(kind) for name in _vars(base)}
        # A name that the class has, too, could be a property: reading it by name could call user code.
        self.candidates = sorted(names_in_code(kind) - in_class)
        self.layouts: dict[int, list[str]] = {}
        """Number of attributes → the names that the last object with so many had."""

    def read(self, value: Any) -> dict[str, Any]:
        """All attributes by name, in the order of their names; no user code is called."""
        found = self._in_place(value)
        if found is None:
            attributes = _get(value, "__dict__")
            found = {name: attributes[name] for name in sorted(attributes)}
        return found

    def _in_place(self, value: Any) -> dict[str, Any] | None:
        """None if there is a dictionary already, or an attribute that no code of the class names."""
        held = get_referents(value)  # the attributes' values and the class; or their dictionary and the class
        if len(held) == 2 and type(held[0]) is dict:
            return None
        known = self.layouts.get(len(held))
        if known is not None:
            try:
                return {name: _get(value, name) for name in known}
            except AttributeError:
                pass  # as many attributes, but other ones
        read = ((name, _read(value, name)) for name in self.candidates)
        found = {name: attribute for name, attribute in read if attribute is not ABSENT}
        if len(found) != len(held) - 1:
            return None
        self.layouts[len(held)] = list(found)
        return found


def own_attribute(value: Any, name: str) -> Any:
    """One of an object's own attributes; ABSENT if there is none of this name."""
    if any(name in _vars(base) for base in _mro(type(value))):
        attributes = _read(value, "__dict__")
        return ABSENT if attributes is ABSENT else attributes.get(name, ABSENT)
    return _read(value, name)


def names_in_code(kind: Any) -> set[str]:
    """Every name that the code of a class mentions, the attributes that it sets among them."""
    waiting = [
        code for base in _mro(kind) for attribute in _vars(base).values() for code in codes_of(attribute)
    ]
    names: set[str] = set()
    while waiting:
        code = waiting.pop()
        names.update(code.co_names)
        waiting += [const for const in code.co_consts if isinstance(const, CodeType)]
    return names


def codes_of(attribute: Any) -> list[CodeType]:
    """The code behind an attribute of a class: a function, inside plain wrappers or not, or a property."""
    if isinstance(attribute, property):
        return [code for part in (attribute.fget, attribute.fset) for code in codes_of(part)]
    if isinstance(attribute, staticmethod | classmethod):
        attribute = attribute.__func__
    found = []
    for _ in range(_MOST_LAYERS):
        if not isinstance(attribute, FunctionType):
            break
        found.append(attribute.__code__)
        attribute = attribute.__dict__.get("__wrapped__")
    return found


def _read(value: Any, name: str) -> Any:
    try:
        return _get(value, name)
    except AttributeError:
        return ABSENT


def _mro(kind: Any) -> Any:
    return type.__getattribute__(kind, "__mro__")


def _vars(base: Any) -> Any:
    return type.__getattribute__(base, "__dict__")
