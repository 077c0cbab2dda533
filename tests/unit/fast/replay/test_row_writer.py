"""Single transitions: every way to give a value, and errors that change nothing."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from goldsplit.fast.replay import Field
from goldsplit.fast.replay.storage import RowStorage

# Names that the generated code might use itself.
FIELDS = {
    "transition": Field((3,), np.float32),
    "value": Field((2, 2), np.uint8),
    "slot": Field((), np.int8),
    "type": Field((), np.bool_),
}
GOOD: dict[str, Any] = {
    "transition": np.array([1, 2, 3], np.float32),
    "value": np.array([[1, 2], [3, 4]], np.uint8),
    "slot": 5,
    "type": True,
}


def stored(storage: RowStorage, slot: int) -> dict[str, Any]:
    return {name: storage.column(name)[slot].tolist() for name in FIELDS}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"transition": [1, 2, 3]},
        {"transition": np.array([1, 2, 3], np.float64)},
        {"transition": np.array([1, 2, 3], ">f4")},
        {"transition": np.array([1, 0, 2, 0, 3, 0], np.float32)[::2]},
        {"transition": np.frombuffer(np.array([1, 2, 3], np.float32).tobytes(), np.float32)},  # read-only
        {"value": np.array([[1, 3], [2, 4]], np.uint8).T},
        {"slot": np.int64(5), "type": np.True_},
        {"slot": np.array(5, np.int8)},
    ],
)
def test_a_transition_is_stored_however_its_values_are_given(change: dict[str, Any]) -> None:
    storage = RowStorage(3, FIELDS)
    storage.write(1, GOOD | change)
    assert stored(storage, 1) == {"transition": [1, 2, 3], "value": [[1, 2], [3, 4]], "slot": 5, "type": True}
    assert not storage.rows[[0, 2]].any()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"transition": np.zeros(4, np.float32)},
            ValueError,
            r"'transition' has the shape \(3,\), got \(4,\)",
        ),
        ({"transition": np.zeros((2, 3), np.float32)}, ValueError, "(?s)hint: this looks like a batch"),
        ({"transition": np.zeros(3, np.complex64)}, TypeError, "'transition' is float32, got complex64"),
        ({"transition": None}, ValueError, r"'transition' has the shape \(3,\), got \(\)"),
        ({"value": np.zeros((2, 3), np.uint8)}, ValueError, r"'value' has the shape \(2, 2\), got \(2, 3\)"),
        ({"value": np.zeros((2, 2), np.float32)}, TypeError, "'value' is uint8, got float32"),
        ({"slot": 1.5}, TypeError, "'slot' is int8, got float64"),
        ({"slot": 300}, OverflowError, "300 out of bounds for int8"),
        ({"slot": 300, "transition": [7, 8, 9]}, OverflowError, "300 out of bounds for int8"),
        ({"type": 1}, TypeError, "'type' is bool, got int64"),
        ({"other": 1}, TypeError, r"unknown \['other'\]"),
    ],
)
def test_an_error_names_the_field_and_leaves_the_row(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    storage = RowStorage(3, FIELDS)
    storage.write(1, GOOD)
    before = storage.rows.copy()
    wrong = {"transition": np.full(3, 9, np.float32)} | change
    with pytest.raises(error, match=message) as raised:
        storage.write(1, GOOD | wrong)
    assert np.array_equal(storage.rows, before)
    assert raised.value.__context__ is None  # nothing of the quick way in the traceback


def test_missing_and_exchanged_names_are_told() -> None:
    storage = RowStorage(3, FIELDS)
    with pytest.raises(TypeError, match=r"missing \['type'\]"):
        storage.write(0, {name: GOOD[name] for name in ("transition", "value", "slot")})
    with pytest.raises(TypeError, match=r"missing \['type'\], unknown \['kind'\]"):
        storage.write(0, {"kind" if name == "type" else name: value for name, value in GOOD.items()})
    assert not storage.rows.any()


def test_the_rows_are_freed_with_the_last_reference() -> None:
    storage = RowStorage(3, FIELDS)
    storage.write(0, GOOD)
    freed = weakref.ref(storage.rows.base)
    gc.disable()
    try:
        del storage
        assert freed() is None
    finally:
        gc.enable()
