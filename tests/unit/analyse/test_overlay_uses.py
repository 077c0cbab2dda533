"""What overlays changed, all processes together."""

from __future__ import annotations

import pytest

from goldsplit.analyse.overlay_uses import VARIABLES, overlay_uses
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.overlays.overlay import (
    CALLS_MADE,
    CHANGE_SEPARATOR,
    VERIFIED_ANSWERS,
    VERIFIED_CODE,
    OverlayUse,
)
from goldsplit.model.overlays.written import parse_overlay
from goldsplit.model.profile import Fact
from goldsplit.model.wire import Header


def fact(kind: str, overlay: str, what: str, pid: int, count: float) -> Fact:
    return Fact(kind, overlay + CHANGE_SEPARATOR + what, pid, "other", count, 0.0, None)


def test_processes_are_added_and_nothing_is_said() -> None:
    run = {
        Header.OVERLAYS: ["memo:m:f", "threads:1", "no-validation"],
        Header.OVERLAY_VARIABLES: {"threads:1": {"OMP_NUM_THREADS": [None, "1"]}},
    }
    facts = [
        fact(FactKind.OVERLAY, "memo:m:f", "spared", 1, 3.0),
        fact(FactKind.OVERLAY, "memo:m:f", "spared", 2, 4.0),
        fact(FactKind.OVERLAY_SAW, "memo:m:f", "kept", 2, 5.0),
    ]
    assert overlay_uses(run, facts) == [
        OverlayUse("memo:m:f", {"spared": 7}, {"kept": 5}),
        OverlayUse("threads:1", {VARIABLES: 1}, {}),
        OverlayUse("no-validation", {}, {}, parse_overlay("no-validation").overlay.without),
    ]
    assert overlay_uses({}, facts) == []


@pytest.mark.parametrize(
    ("overlay", "told", "why"),
    [
        ("skip:my.own", [], "no call of the stage my.own was seen"),
        (
            "skip:env.opponents",
            [],
            "no call of the stage env.opponents was seen; the closest stage that was: env",
        ),
        ("no-eval", [], "no call of the stage eval was seen"),
        (
            "slow:env.opponent:50",
            [],
            "env.opponent was seen, but not as calls of a function that can be replaced",
        ),
        (
            "slow:env.opponent:50",
            [(FactKind.OVERLAY_SAW, CALLS_MADE)],
            "env.opponent was seen, but too few calls of it",
        ),
        ("compiled-text:verify=1", [(FactKind.OVERLAY_SAW, VERIFIED_CODE)], "what came again was computed"),
        (
            "memo:m:f,verify=1",
            [(FactKind.OVERLAY_FOUND, "f"), (FactKind.OVERLAY_SAW, VERIFIED_ANSWERS)],
            "what came again was computed",
        ),
        ("lean-info", [], "no call of the stage env.step was seen"),
        (
            "constant:m:f",
            [(FactKind.OVERLAY_MISSED, "module m was never imported")],
            "module m was never imported",
        ),
        ("constant:m:f", [], "its function was not found"),
        (
            "constant:m:f",
            [(FactKind.OVERLAY_FOUND, "f"), (FactKind.OVERLAY_MISSED, "module m was never imported")],
            "it was not called again",
        ),
        (
            "constant:m:f",
            [(FactKind.OVERLAY_FOUND, "f"), (FactKind.OVERLAY_WHY, "its answer is not constant")],
            "its answer is not constant",
        ),
        ("of-another-version:1", [], ""),
    ],
)
def test_why_nothing_was_changed(overlay: str, told: list[tuple[str, str]], why: str) -> None:
    facts = [fact(kind, overlay, what, 1, 1.0) for kind, what in told]
    (use,) = overlay_uses({Header.OVERLAYS: [overlay]}, facts, {"env.opponent"})
    assert use.why.startswith(why) if why else use.why == ""


def test_what_changed_something_needs_no_reason() -> None:
    facts = [
        fact(FactKind.OVERLAY, "memo:m:f", "spared", 1, 3.0),
        fact(FactKind.OVERLAY_WHY, "memo:m:f", "no", 2, 1),
    ]
    assert overlay_uses({Header.OVERLAYS: ["memo:m:f"]}, facts) == [OverlayUse("memo:m:f", {"spared": 3})]
