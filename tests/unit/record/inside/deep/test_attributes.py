"""Attributes are read as they are, no user code runs, and the object stays as fast as it was."""

from __future__ import annotations

import dis
import functools
import sys
from typing import Any

import pytest

from goldsplit.record.inside.deep.attributes import ABSENT, OwnAttributes, names_in_code, own_attribute


class Unit:
    side = "blue"

    def __init__(self, x: int, tags: Any = None) -> None:
        self.x = x
        if tags is not None:
            self.tags = tags

    @functools.cached_property
    def reach(self) -> int:
        raise AssertionError("user code was called")

    @property
    def y(self) -> int:
        raise AssertionError("user code was called")


class Holder:
    def __init__(self, kept: dict[str, int]) -> None:
        self.kept = kept


def named(value: Any) -> dict[str, Any]:
    return OwnAttributes(type(value)).read(value)


def test_all_attributes_are_read_and_none_of_the_class() -> None:
    assert named(Unit(1)) == {"x": 1}
    assert list(named(Unit(1, ["a"])).items()) == [("tags", ["a"]), ("x", 1)]


def test_objects_of_one_class_may_differ_in_what_they_have() -> None:
    reader = OwnAttributes(Unit)
    first, second = Unit(1), Unit(2)
    del second.x
    second.tags = 5
    assert reader.read(first) == {"x": 1}
    assert reader.read(second) == {"tags": 5}
    assert reader.read(first) == {"x": 1}


def test_what_no_code_of_the_class_names_and_what_hides_the_class_is_read_too() -> None:
    unit: Any = Unit(1)
    unit.written_from_outside = 2
    unit.side = "red"
    unit.__dict__["reach"] = 3
    assert named(unit) == {"reach": 3, "side": "red", "written_from_outside": 2, "x": 1}


def test_a_dictionary_and_attributes_in_place_look_alike() -> None:
    one, other = Unit(1, ["a"]), Unit(1, ["a"])
    assert other.__dict__
    assert list(named(one).items()) == list(named(other).items())
    assert named(Holder({"kept": 1})) == {"kept": {"kept": 1}}


def test_one_attribute_by_name() -> None:
    unit = Unit(4)
    assert own_attribute(unit, "x") == 4
    assert own_attribute(unit, "side") is own_attribute(unit, "y") is own_attribute(3, "x") is ABSENT


def test_names_are_found_under_wrappers() -> None:
    class Wrapped:
        @functools.wraps(Unit.__init__)
        def __init__(self) -> None:
            self.own = 1

    assert {"own", "x", "tags"} <= names_in_code(Wrapped)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="how the interpreter shows its quick instructions")
def test_the_interpreter_keeps_its_quick_way_to_the_attributes() -> None:
    unit = Unit(1, [])

    def look() -> Any:
        return [unit.x for _ in range(100)]

    def is_quick() -> bool:
        for _ in range(50):
            look()
        code = next(const for const in look.__code__.co_consts if hasattr(const, "co_code"))
        return any("INSTANCE_VALUE" in step.opname for step in dis.get_instructions(code, adaptive=True))

    assert is_quick()
    named(unit)
    assert is_quick()
    assert unit.__dict__
    assert not is_quick()
