"""See every class as a class statement makes it, without a frame of our own on the stack meanwhile.

Some libraries look at the frames around a class body or a metaclass (`overrides` reads the names of the bases
there, pydantic the local variables). A Python function around `__build_class__` would be what they find, and
the user's import would fail. So the builtin stays; it is only given a default metaclass, which returns the
real one. Its namespace carries an observer that `type` tells of the finished class (`__set_name__`). Our
code has returned before the body runs, and before the metaclass is called.

A statement that names its metaclass is left alone; such a class is seen with the first class derived from it.
"""

from __future__ import annotations

import builtins
import functools
import sys
import types
from abc import ABCMeta
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from goldsplit.record.inside.own_failures import harmless

See = Callable[[type], None]

_OBSERVER = "__goldsplit_observer__"
#: Metaclasses that do not mind one more name in the namespace; an enumeration's would make a member of it.
_PLAIN = (type, ABCMeta)


class Observer:
    """An attribute that removes itself from its class and tells those who watch of that class."""

    __slots__ = ("seen", "watching")

    def __init__(self, see: See) -> None:
        self.watching = [see]
        self.seen: WeakSet[type] = WeakSet()

    def __set_name__(self, owner: type, name: str) -> None:
        type.__delattr__(owner, name)
        with harmless("a new class"):
            for cls in reversed(owner.__mro__):
                if cls not in self.seen:
                    self.seen.add(cls)
                    self.tell(cls)

    def tell(self, cls: type) -> None:
        for see in self.watching:
            with harmless("a new class"):
                see(cls)


class DefaultMetaclass:
    """Stands for the metaclass that a class statement gets by itself: prepared, then called, in one frame."""

    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.in_progress: dict[int, Any] = {}
        """Frame → the metaclass of the statement that it executes: one at a time, so the frame is enough."""

    def __prepare__(self, name: str, bases: tuple[Any, ...], /, **keywords: Any) -> Any:
        metaclass, namespace, _ = types.prepare_class(name, bases, keywords)
        self.in_progress[id(sys._getframe(1))] = metaclass
        if metaclass in _PLAIN:
            namespace[_OBSERVER] = self.observer
        return namespace

    @property
    def __call__(self) -> Any:
        """The real metaclass: the interpreter calls it, our code does not."""
        return self.in_progress.pop(id(sys._getframe(1)))


def watch(see: See) -> None:
    """Call `see` with every class that is made from now on."""
    present = builtins.__build_class__
    ours = present.keywords.get("metaclass") if isinstance(present, functools.partial) else None
    if isinstance(ours, DefaultMetaclass):  # several may watch, in the order in which they came
        ours.observer.watching.append(see)
        return
    metaclass = DefaultMetaclass(Observer(see))
    builtins.__build_class__ = functools.partial(builtins.__build_class__, metaclass=metaclass)
