"""Single spans come back as they were packed; damaged text is told."""

from __future__ import annotations

import base64
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsplit.record.inside.core import packing
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.inside.recorder import pack_raw
from goldsplit.store.json_lines import DAMAGE
from goldsplit.store.raw_spans import decode85, unpack_numbers, unpack_raw


@given(st.binary(max_size=200))
def test_base85_is_what_python_has(data: bytes) -> None:
    assert decode85(base64.b85encode(data).decode()) == data


@pytest.mark.parametrize(
    ("text", "why"), [("abc d", "does not have"), ("ä", "ascii"), ("~~~~~", "overflow"), ('"', "not have")]
)
def test_base85_that_is_none(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        decode85(text)


@given(st.lists(st.tuples(st.integers(2, 90), st.integers(0, 10_000), st.integers(0, 90_000)), min_size=1))
def test_spans_come_back_in_order_of_their_start(rows: list[tuple[int, int, int]]) -> None:
    start_ns = 5_000_000_000
    spans = [(node, start_ns + 100 * after, 100 * length) for node, after, length in rows]
    back = unpack_raw(
        pack_raw(bytearray(b"".join(RAW_SPAN.pack(*span) for span in spans)), start_ns), start_ns
    )
    expected = sorted(spans, key=lambda span: span[1])
    assert list(back.rows()) == [(node, start, start + length) for node, start, length in expected]
    assert [tuple(span) for span in back] == list(back.rows())


@pytest.mark.parametrize(
    "data",
    [b"\x01\x02", b"\x01\x02\x83", b"\x01\x02" + b"\xff" * 9 + b"\x01"],
    ids=["two numbers", "a torn number", "a number too long"],
)
def test_numbers_that_are_no_spans(data: bytes) -> None:
    with pytest.raises(DAMAGE):
        unpack_raw(base64.b85encode(zlib.compress(data)).decode(), 0)


@given(st.lists(st.integers(0, 2**62)))
def test_numbers_come_back(numbers: list[int]) -> None:
    packed = bytearray()
    for number in numbers:
        packing._put(packed, number)
    assert unpack_numbers(bytes(packed)).tolist() == numbers
