"""Links of the page."""

from __future__ import annotations

import pytest

from goldsplit.model.detail import Detail, SourceFile, SourceLine
from goldsplit.model.finding import Place
from goldsplit.report.html.content import NEAR_LINES, anchor_of, source_anchors


@pytest.mark.parametrize(
    ("line", "linked"),
    [(56, 56), (55, 56), (57 - NEAR_LINES, 56), (56 - NEAR_LINES, None), (58, None), (0, None)],
)
def test_a_finding_at_a_def_leads_to_the_first_shown_line_of_the_function(
    line: int, linked: int | None
) -> None:
    shown = [SourceLine(number, "x = 1", 0.1, 0.1, 9) for number in (56, 57)]
    detail = Detail(0.0, 1.0, sources=[SourceFile("/game/dex.py", 0.2, 0.2, shown, "")])
    anchor = anchor_of(Place("/game/dex.py", line, "race"), source_anchors(detail))
    assert anchor == (f"source-0-{linked}" if linked else "")
