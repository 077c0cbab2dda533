"""Which overlays apply a finding's remedy: as the overlays' list says, with the function's name."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.offers import with_overlays
from goldsplit.model.finding import Finding
from goldsplit.model.overlays.written import parse_overlay


def a_finding(make: SimpleNamespace, code: str, function: str = "Board.sees") -> Finding:
    where = make.place(function=function)
    return Finding(code, "title", where, "env.step", {}, 0.3, 1.4, "high", "do", "check")


@pytest.mark.parametrize(
    ("code", "overlays"),
    [
        ("constant-result", ("constant:train:Board.sees",)),
        ("built-twice-per-step", ("memo:train:Board.sees",)),
        ("repeated-calls", ()),
        ("recompiled-text", ("compiled-text",)),
        ("distribution-validation", ("no-validation",)),
        ("thread-oversubscription", ("threads:1",)),
        ("learner-bound", ()),
    ],
)
def test_the_list_of_overlays_says_which(make: SimpleNamespace, code: str, overlays: tuple[str, ...]) -> None:
    found = with_overlays(make.profile(), a_finding(make, code))
    assert found.overlays == overlays
    assert [parse_overlay(text).text for text in overlays] == list(overlays)


def test_code_without_a_name_offers_nothing_and_a_rule_keeps_its_own(make: SimpleNamespace) -> None:
    profile = make.profile()
    assert with_overlays(profile, a_finding(make, "constant-result", "f.<lambda>")).overlays == ()
    own = dataclasses.replace(a_finding(make, "constant-result"), overlays=("memo:a:b@run",))
    assert with_overlays(profile, own).overlays == ("memo:a:b@run",)
