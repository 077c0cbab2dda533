"""JSON as the type that it is to have."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from goldsplit.model.experiment.design import Gate, Plan, Source, Variant
from goldsplit.model.experiment.trial import Outcome, Point, Trial
from goldsplit.store.checked.json_lines import DAMAGE
from goldsplit.store.checked.typed import typed

TRIAL = Trial(
    0,
    "a",
    1,
    7,
    "complete",
    "run",
    curve=(Point(0.5, 1, None, 0, 0.25), Point(1.0, 2.0, 3.0, 4.0, 5.0)),
    figures={"memory": 3.5},
    outcomes={"won": Outcome(2, 0.5, {"draw": 1})},
)
VARIANTS = (Variant("base"), Variant("b", {"A": "1"}))
PLAN = Plan("one", ("python", "train.py"), VARIANTS, gates=(Gate("win", "rate", Source("csv"), 2),))


@pytest.mark.parametrize("thing", [TRIAL, PLAN])
def test_what_was_written_is_read(thing: Any) -> None:
    assert typed(type(thing), json.loads(json.dumps(asdict(thing)))) == thing


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("block", "1"),
        ("block", 10**400),
        ("block", None),
        ("wall_seconds", float("nan")),
        ("wall_seconds", float("inf")),
        ("curve", {}),
        ("curve", [[1, 2]]),
        ("curve", [None]),
        ("figures", []),
        ("figures", {"x": {}}),
        ("outcomes", {"won": 3}),
        ("outcomes", {"won": {}}),
        ("calm", []),
        ("status", 3),
        ("nothing", 3),
    ],
)
def test_anything_else_is_damage(name: str, value: Any) -> None:
    with pytest.raises(DAMAGE):
        typed(Trial, {**asdict(TRIAL), "curve": [], name: value})
