"""What overlays changed, all processes together."""

from __future__ import annotations

from goldsplit.analyse.overlay_uses import VARIABLES, overlay_uses
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.overlay import CHANGE_SEPARATOR, OverlayUse
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
        OverlayUse("no-validation", {}, {}),
    ]
    assert overlay_uses({}, facts) == []
