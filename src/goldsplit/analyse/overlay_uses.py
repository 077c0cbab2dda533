"""Which overlays were on in a run, and what each of them changed."""

from __future__ import annotations

from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.model.overlay import CHANGE_SEPARATOR, OverlayUse
from goldsplit.model.profile import Fact
from goldsplit.model.wire import Header

VARIABLES = "environment variables set"


def overlay_uses(run: dict[str, Any], facts: list[Fact]) -> list[OverlayUse]:
    """The overlays in the order of the command line; those that changed nothing too."""
    variables = run.get(Header.OVERLAY_VARIABLES) or {}
    uses = []
    for text in run.get(Header.OVERLAYS) or []:
        changed = {VARIABLES: len(variables[text])} if variables.get(text) else {}
        changed |= _counts(facts, FactKind.OVERLAY, text)
        uses.append(OverlayUse(str(text), changed, _counts(facts, FactKind.OVERLAY_SAW, text)))
    return uses


def _counts(facts: list[Fact], kind: str, text: str) -> dict[str, int]:
    """What was counted for one overlay, all processes together."""
    found: dict[str, int] = {}
    for fact in facts:
        name, _, what = fact.detail.partition(CHANGE_SEPARATOR)
        if fact.kind == kind and name == text:
            found[what] = found.get(what, 0) + int(fact.count)
    return found
