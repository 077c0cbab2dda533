"""How figures are written."""

from __future__ import annotations

import pytest

from goldsplit.report import words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0, "0 %"),
        (0.0004, "<0.1 %"),
        (0.004, "0.4 %"),
        (0.0994, "9.9 %"),
        (0.0996, "10 %"),
        (0.623, "62 %"),
        (1.0, "100 %"),
    ],
)
def test_share(value: float | None, text: str) -> None:
    assert words.share(value) == text


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (None, "–"),
        (0.0, "0.000 us"),
        (0.27, "0.27 us"),
        (999.4, "999 us"),
        (999.9, "1.00 ms"),
        (1305.0, "1.30 ms"),
        (2_000_000.0, "2.00 s"),
        (1.2e9, "20 min"),
    ],
)
def test_duration(us: float | None, text: str) -> None:
    assert words.duration(us) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(None, "–"), (0, "0"), (73046, "73046"), (123_456, "123k"), (9_000_000, "9.00M"), (3e9, "3.0G")],
)
def test_count(number: float | None, text: str) -> None:
    assert words.count(number) == text


def test_an_exact_share_has_no_interval() -> None:
    assert words.interval(0.2, 0.2) == "–"
    assert words.interval(0.28, 0.31) == "28–31 %"
    assert words.interval(0.004, 0.021) == "0.4–2.1 %"
    assert words.interval(None, 0.1) == "–"


def test_seconds_size_and_speedup() -> None:
    assert words.seconds(None) == "not measured"
    assert words.seconds(7.0177) == "7.02 s"
    assert words.seconds(180) == "3.0 min"
    assert words.seconds(7200) == "2.0 h"
    assert words.size(900 * 2**20) == "900 MiB"
    assert words.size(None) == "not measured"
    assert words.speedup(1.391) == "1.39x"
    assert words.speedup(None) == "–"


def test_listing_says_how_many_are_left_out() -> None:
    assert words.listing(["a", "b"], 3) == "a, b"
    assert words.listing(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert words.plural(1, "stage") == "1 stage"
    assert words.plural(2, "process", "processes") == "2 processes"
