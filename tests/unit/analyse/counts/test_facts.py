"""Places of facts, as the recorder writes them."""

from __future__ import annotations

import pytest

from goldsplit.analyse.counts.facts import read_place
from goldsplit.model.finding import Place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", None),
        ("train.py:12:Battle.step", Place("train.py", 12, "Battle.step")),
        ("my game/train.py:7:goldsplit:env.step", Place("my game/train.py", 7, "goldsplit:env.step")),
        ("C:/game/train.py:7:step", Place("C:/game/train.py", 7, "step")),
        ("no place at all", None),
    ],
)
def test_a_place_is_read_whatever_its_names_hold(text: str, place: Place | None) -> None:
    assert read_place(text) == place
