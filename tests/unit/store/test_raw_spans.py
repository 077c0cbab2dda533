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
from goldsplit.store.checked.json_lines import DAMAGE
from goldsplit.store.raw_spans import from_base85, unpack_numbers, unpack_raw


@pytest.mark.parametrize("text", ["abcde", "ä", "====", ""])
def test_text_that_is_no_base64_is_damage(text: str) -> None:
    with pytest.raises(DAMAGE):
        unpack_raw(text, 0)


def test_spans_of_format_2_are_read() -> None:
    packed = base64.b85encode(zlib.compress(b"\x01\x04\x07")).decode()
    assert list(unpack_raw(packed, 1000, from_base85).rows()) == [(1, 1200, 1900)]


def test_what_unpacks_to_far_too_much_is_damage() -> None:
    bomb = base64.b64encode(zlib.compress(bytes(100_000_000))).decode()
    assert len(bomb) < 200_000
    with pytest.raises(DAMAGE, match="too large"):
        unpack_raw(bomb, 0)


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
        unpack_raw(base64.b64encode(zlib.compress(data)).decode(), 0)


@given(st.lists(st.integers(0, 2**62)))
def test_numbers_come_back(numbers: list[int]) -> None:
    packed = bytearray()
    for number in numbers:
        packing._put(packed, number)
    assert unpack_numbers(bytes(packed)).tolist() == numbers
