"""Packed rows against one NumPy array per field, for any schema."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsplit.fast.replay import Field, reference
from goldsplit.fast.replay.schema import packed
from goldsplit.fast.replay.storage import RowStorage, addresses_of

DTYPES = st.sampled_from([np.bool_, np.uint8, np.int16, np.float32, np.int64, np.float64, np.complex128])
FIELDS = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d", "e", "f"]),
    st.builds(Field, st.lists(st.integers(1, 40), max_size=2).map(tuple), DTYPES),
    min_size=1,
)


def random_columns(fields: dict[str, Field], rows: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        name: rng.integers(0, 100, (rows, *field.shape)).astype(field.dtype) for name, field in fields.items()
    }


@settings(max_examples=60)
@given(FIELDS, st.integers(1, 30), st.lists(st.integers(0, 29), min_size=1, max_size=40), st.integers(0, 999))
def test_scatter_and_gather_equal_their_numpy_twins(
    fields: dict[str, Field], capacity: int, numbers: list[int], seed: int
) -> None:
    slots = np.array(numbers) % capacity
    storage = RowStorage(capacity, fields)
    expected = reference.empty_columns(fields, capacity)
    values = random_columns(fields, len(slots), seed)
    storage.scatter(slots, [values[name] for name in fields])
    reference.scatter_rows(expected, slots, values)
    for name in fields:
        assert np.array_equal(storage.column(name), expected[name])
    out = [np.empty((len(slots), *field.shape), field.dtype) for field in fields.values()]
    storage.gather(slots[::-1].copy(), addresses_of(out))
    gathered = reference.gather_rows(expected, slots[::-1])
    for array, name in zip(out, fields, strict=True):
        assert np.array_equal(array, gathered[name])
        alone = np.empty_like(array)
        storage.gather_field(name, slots[::-1].copy(), alone)
        assert np.array_equal(alone, array)


def test_addresses_are_those_of_the_data_also_of_empty_and_read_only_arrays() -> None:
    arrays = [np.ones((2, 3)), np.ones(0), np.frombuffer(b"read-only", np.uint8), np.arange(9)[3:]]
    assert addresses_of(arrays).tolist() == [array.ctypes.data for array in arrays]


@given(FIELDS)
def test_fields_are_aligned_and_do_not_overlap(fields: dict[str, Field]) -> None:
    layout = packed(fields)
    taken = np.zeros(layout.row_bytes, np.int64)
    for field, offset, size in zip(fields.values(), layout.offsets, layout.bytes, strict=True):
        assert offset % np.dtype(field.dtype).alignment == 0
        taken[offset : offset + size] += 1
    assert taken.max() == 1
    assert layout.row_bytes - taken.sum() < 64 * len(fields)
    in_whole_lines = np.zeros(layout.row_bytes, np.bool_)
    for offset, size in zip(layout.offsets, layout.whole_line_bytes, strict=True):
        in_whole_lines[offset : offset + size] = True
    for line in layout.mixed_lines if layout.row_bytes % 64 == 0 else []:
        assert not in_whole_lines[line : line + 64].any()
        in_whole_lines[line : line + 64] = True
    assert in_whole_lines.all() or layout.row_bytes % 64 or layout.row_bytes < 1024


def test_wide_rows_are_streamed_and_narrow_ones_are_not_padded_to_lines() -> None:
    wide = RowStorage(10, {"obs": Field((323,), np.float32), "done": Field((), np.bool_)})
    assert wide.layout.row_bytes % 64 == 0
    assert wide.rows.ctypes.data % 64 == 0
    narrow = RowStorage(10, {"obs": Field((4,), np.float32), "done": Field((), np.bool_)})
    assert narrow.layout.row_bytes == 20


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Field((3, 0), np.float32), r"\(3, 0\) has a side below 1"),
        (lambda: Field((), object), "dtype object is not"),
        (lambda: RowStorage(4, {}), "no fields"),
        (lambda: RowStorage(0, {"a": Field((), np.int8)}), "capacity must be at least 1, got 0"),
        (lambda: RowStorage(4, {"weights": Field((), np.int8)}), "'weights' is taken"),
        (lambda: RowStorage(4, {"a b": Field((), np.int8)}), "'a b' cannot be an attribute"),
        (lambda: RowStorage(4, {"_a": Field((), np.int8)}), "'_a' cannot be an attribute"),
        (lambda: RowStorage(4, {"class": Field((), np.int8)}), "'class' cannot be an attribute"),
        (lambda: RowStorage(4, {"a": np.float32}), "field 'a' is a type, not a Field"),
    ],
)
def test_a_bad_schema_is_refused(make: object, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()  # type: ignore[operator]


def test_a_field_takes_an_int_as_shape_and_any_dtype_name() -> None:
    assert Field(3, "float32") == Field((3,), np.float32)  # type: ignore[arg-type]
    assert Field((2, 3), np.int16).bytes == 12
