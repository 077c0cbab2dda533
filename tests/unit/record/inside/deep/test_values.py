"""Keys are equal exactly when values are, and no user code runs to make them."""

from __future__ import annotations

import enum
from collections import deque
from typing import Any

import numpy as np
import pytest
import torch

from goldsplit.record.inside.deep.values import KeyMaker, NotComparable, short


def key(value: Any, names: frozenset[str] | None = None) -> Any:
    return KeyMaker(names).key(value)


class Unit:
    def __init__(self, x: int, tags: list[str]) -> None:
        self.x = x
        self.tags = tags


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a: Any) -> None:
        self.a = a


class Touchy:
    """Every call of one of its methods is an error."""

    def __init__(self) -> None:
        self.value = 3

    def _refuse(self, *args: Any) -> Any:
        raise AssertionError("user code was called")

    __eq__ = __hash__ = __repr__ = __len__ = __bool__ = __getattribute__ = _refuse  # type: ignore[assignment]


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2


EQUAL: list[tuple[Any, Any]] = [
    (1, 1),
    ("a", "a"),
    ([1, (2, 3)], [1, (2, 3)]),
    ({"a": [1]}, {"a": [1]}),
    ({3, 1}, {1, 3}),
    (float("nan"), float("nan")),
    (Unit(1, ["a"]), Unit(1, ["a"])),
    (Slotted([1]), Slotted([1])),
    (np.arange(3), np.arange(3)),
    (np.float32(2), np.float32(2)),
    (torch.ones(2), torch.ones(2)),
    (deque([1, 2]), deque([1, 2])),
    (Colour.RED, Colour.RED),
    (len, len),
]
DIFFERENT: list[tuple[Any, Any]] = [
    (1, 1.0),
    (1, True),
    (0.0, -0.0),
    ([1], (1,)),
    ([1], [2]),
    ("a", b"a"),
    ({"a": 1}, {"a": 2}),
    (Unit(1, ["a"]), Unit(1, ["b"])),
    (np.arange(3), np.arange(3.0)),
    (np.zeros((2, 3)), np.zeros((3, 2))),
    (torch.ones(2), torch.zeros(2)),
    (Colour.RED, Colour.BLUE),
    (Colour.RED, 1),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_values_have_equal_keys(one: Any, other: Any) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_values_have_different_keys(one: Any, other: Any) -> None:
    assert key(one) != key(other)


def test_an_object_is_compared_by_its_value_not_by_identity() -> None:
    unit = Unit(1, [])
    before = key(unit)
    unit.tags.append("moved")
    assert key(unit) != before


def test_only_attributes_that_the_code_can_name_count() -> None:
    one, other = Unit(1, ["a"]), Unit(1, ["b"])
    assert key(one, frozenset({"x"})) == key(other, frozenset({"x"}))


def test_no_user_code_is_called() -> None:
    assert key(Touchy()) == key(Touchy())


def test_what_is_too_large_or_cannot_be_seen_is_not_compared() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    for value in (
        cycle,
        list(range(10_000)),
        np.zeros(100_000),
        np.array([object()], dtype=object),
        np.random.default_rng(0),
        (n for n in ()),
    ):
        with pytest.raises(NotComparable):
            key(value)


def test_a_device_tensor_is_never_read() -> None:
    with pytest.raises(NotComparable):
        key(torch.empty(3, device="meta"))


def test_values_become_text_without_calling_user_code() -> None:
    assert short(True) == "True"
    assert short([1, 2]) == "list of 1, 2"
    assert short(np.zeros((2, 3))) == "ndarray(2, 3)"
    assert short(Touchy()) == "Touchy"
    assert len(short("x" * 500)) == 60
