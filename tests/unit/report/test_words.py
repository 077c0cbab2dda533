"""How figures are written."""

from __future__ import annotations

from collections.abc import Callable

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
    assert words.seconds(4e9) == "over a year"
    assert words.size(900 * 2**20) == "900 MiB"
    assert words.size(None) == "not measured"
    assert words.speedup(1.391) == "1.39x"
    assert words.speedup(None) == "–"


def test_listing_says_how_many_are_left_out() -> None:
    assert words.listing(["a", "b"], 3) == "a, b"
    assert words.listing(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert words.plural(1, "stage") == "1 stage"
    assert words.plural(2, "process", "processes") == "2 processes"


@pytest.mark.parametrize(
    "write", [words.share, words.duration, words.count, words.rate, words.per_step, words.size]
)
def test_no_figure_is_not_a_figure(write: Callable[[float | None], str]) -> None:
    assert write(float("nan")) == write(None)
    assert write(float("inf")) == write(None)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.004, "0.00"), (0.5, "0.5"), (31.44, "31.4"), (474.0, "474"), (12_345.0, "12k")],
)
def test_calls_per_step(value: float | None, text: str) -> None:
    assert words.per_step(value) == text


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("repeated_share", 0.64, ("repeated", "64 %")),
        ("cost_share_of_windows", 0.009, ("cost share of windows", "0.9 %")),
        ("call_us", 9.7, ("call", "9.70 us")),
        ("pause_ms", 1.5, ("pause", "1.50 ms")),
        ("info_bytes", 49_152, ("info", "48.0 KiB")),
        ("startup_seconds", 12.0, ("startup", "12.0 s")),
        ("calls", 12_000, ("calls", "12,000")),
        ("calls_per_env_step", 0.25, ("calls per env step", "0.25")),
        ("always_equal", True, ("always equal", "yes")),
        ("needed", None, ("needed", "not measured")),
        ("keys", ["a", "b"], ("keys", "a, b")),
        ("by_kind", {"get_attr": 4}, ("by kind", "get attr: 4")),
        ("text", "a\x1bb", ("text", "a b")),
    ],
)
def test_evidence_is_written_by_the_unit_in_its_name(name: str, value: object, told: tuple[str, str]) -> None:
    assert words.figure(name, value) == told


def test_evidence_is_told_in_words_that_stand_alone() -> None:
    told = [words.figure(*one)[0] for one in (("shared_argument", 1), ("lines", [36]), ("copied", "Field"))]
    assert told == [
        "what the calls share",
        "in source lines",
        "type of what is copied",
    ]


def test_a_place_without_a_line_has_no_line() -> None:
    assert words.file_and_line("/home/me/game/rules.py", 7) == "game/rules.py:7"
    assert words.file_and_line("/home/me/game/rules.py", 0) == "game/rules.py"
