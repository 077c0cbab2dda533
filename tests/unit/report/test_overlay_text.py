"""Overlays in the first lines of a report."""

from __future__ import annotations

import dataclasses
from typing import Any

from goldsplit.model.overlays.overlay import OverlayUse
from goldsplit.report.overlay_text import effect, overlay_lines
from goldsplit.report.terminal import TerminalRenderer


def test_what_an_overlay_changed() -> None:
    assert effect(OverlayUse("a", {}, {})) == "changed nothing"
    assert effect(OverlayUse("a", {}, {}, "no such stage")) == "changed nothing: no such stage"
    use = OverlayUse("a", {"calls spared": 1200, "texts kept": 2}, {"answers verified": 3})
    assert effect(use) == "1200 calls spared; 2 texts kept (3 answers verified)"


def test_they_stand_above_the_verdict(reports: dict[str, Any]) -> None:
    report = reports["deep"]
    run = dataclasses.replace(
        report.profile.run, overlays=[OverlayUse("threads:1", {}, {}), OverlayUse("b", {"c": 1}, {})]
    )
    overlaid = dataclasses.replace(report, profile=dataclasses.replace(report.profile, run=run))
    lines = overlay_lines(overlaid.profile)
    assert [(line.label, line.tone) for line in lines] == [("Overlay", "warning"), ("", "strong")]
    text = TerminalRenderer(width=80).render(overlaid)
    assert text.index("threads:1: changed nothing") < text.index("Bottleneck")
