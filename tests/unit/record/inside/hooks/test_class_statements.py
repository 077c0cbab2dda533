"""Classes are seen as they are made, and code that runs meanwhile does not notice."""

from __future__ import annotations

import builtins
import enum
import sys
import typing
from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.record.inside.hooks import class_statements

Run = Callable[[str], dict[str, Any]]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """The classes that were seen, only those of this module's snippets."""
    shown: list[type] = []
    monkeypatch.setattr(builtins, "__build_class__", builtins.__build_class__)  # put back at the end
    class_statements.watch(lambda cls: shown.append(cls) if cls.__module__ == "snippet" else None)
    return shown


@pytest.fixture
def run(seen: list[type]) -> Run:
    """run(source): the names that a module with this source defines."""

    def execute(source: str) -> dict[str, Any]:
        names = {"__name__": "snippet", "sys": sys, "enum": enum, "typing": typing} | {
            "ABC": ABC,
            "ABCMeta": ABCMeta,
            "abstractmethod": abstractmethod,
        }
        exec(source, names)
        return names

    return execute


def test_plain_derived_nested_and_generic_classes_are_seen_once(run: Run, seen: list[type]) -> None:
    names = run(
        "T = typing.TypeVar('T')\n"
        "class A:\n class Inner: pass\n"
        "class B(A): x = 1\n"
        "class C(typing.Generic[T]): pass\n"
        "def make():\n class D(B): pass\n return D\n"
        "D = make()\n"
    )
    assert seen == [names["A"].Inner, names["A"], names["B"], names["C"], names["D"]]
    assert [key for key in vars(names["B"]) if "goldsplit" in key] == []


def test_the_frame_above_a_class_body_is_the_class_statement(run: Run) -> None:
    names = run(
        "def f():\n here = 5\n class A:\n  around = sys._getframe(1).f_locals['here']\n return A\nA = f()"
    )
    assert names["A"].around == 5


def test_the_frame_above_a_metaclass_is_the_class_statement(run: Run) -> None:
    names = run(
        "class Meta(type):\n"
        " def __new__(mcs, name, bases, namespace):\n"
        "  made = super().__new__(mcs, name, bases, namespace)\n"
        "  made.around = sys._getframe(1).f_code.co_name\n"
        "  return made\n"
        "class Base(metaclass=Meta): pass\n"
        "def somewhere():\n class A(Base): pass\n return A\n"
        "A = somewhere()\n"
    )
    assert (names["A"].around, type(names["A"])) == ("somewhere", names["Meta"])


def test_a_class_that_names_its_metaclass_is_seen_with_the_first_derived_from_it(
    run: Run, seen: list[type]
) -> None:
    names = run("class Base(metaclass=ABCMeta): pass\nclass A(Base): pass\nclass B(Base): pass\n")
    assert seen == [names["Base"], names["A"], names["B"]]


def test_metaclasses_with_a_namespace_of_their_own_get_nothing_added(run: Run) -> None:
    names = run(
        "class Color(enum.Enum):\n RED = 1\n"
        "class Point(typing.NamedTuple):\n x: int = 0\n"
        "class Options(typing.TypedDict, total=False):\n y: int\n"
    )
    assert [member.name for member in names["Color"]] == ["RED"]
    assert names["Point"]._fields == ("x",)
    assert names["Options"].__total__ is False


def test_a_base_that_is_no_class_makes_what_its_type_makes(run: Run) -> None:
    names = run(
        "class Interface:\n"
        " def __init__(self, name, bases=(), namespace=None): self.name, self.bases = name, bases\n"
        "root = Interface('root')\n"
        "class Derived(root): pass\n"
    )
    assert (type(names["Derived"]), names["Derived"].name) == (names["Interface"], "Derived")


def test_keywords_reach_the_hook_of_the_base(run: Run) -> None:
    names = run(
        "class Base:\n"
        " def __init_subclass__(cls, /, name, bases=0, **rest): cls.given = (name, bases, rest)\n"
        "class A(Base, name='x', bases=2, more=3): pass\n"
    )
    assert names["A"].given == ("x", 2, {"more": 3})


def test_a_body_that_fails_inside_another_leaves_the_other_alone(run: Run, seen: list[type]) -> None:
    names = run(
        "class Outer:\n try:\n  class Broken(ABC): raise KeyError\n except KeyError: pass\n value = 1\n"
    )
    assert (type(names["Outer"]), names["Outer"].value, seen) == (type, 1, [names["Outer"]])


def test_abstract_classes_stay_abstract(run: Run) -> None:
    names = run(
        "class A(ABC):\n @abstractmethod\n def step(self, action): ...\n"
        "class B(A):\n def step(self, action): return 1\n"
    )
    with pytest.raises(TypeError, match="abstract"):
        names["A"]()
    assert names["B"]().step(0) == 1
