"""Which overlays were on in a run, and what each of them changed."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Collection
from typing import Any

from goldsplit.errors import ConfigError
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.overlays.overlay import (
    CALLS_MADE,
    CHANGE_SEPARATOR,
    VERIFIED_ANSWERS,
    VERIFIED_CODE,
    OverlayUse,
)
from goldsplit.model.overlays.written import parse_overlay, stages_in
from goldsplit.model.profile import Fact
from goldsplit.model.wire import Header

VARIABLES = "environment variables set"
MOST_REASONS = 2
_ALL_VERIFIED = "what came again was computed anyway, to verify it"
_LEAVE_OUT = ("skip:", "every:")


def overlay_uses(run: dict[str, Any], facts: list[Fact], stages: Collection[str] = ()) -> list[OverlayUse]:
    """The overlays in the order of the command line; those that changed nothing too. `stages`: those of which
    calls were seen."""
    variables = run.get(Header.OVERLAY_VARIABLES) or {}
    uses = []
    for text in map(str, run.get(Header.OVERLAYS) or []):
        changed = {VARIABLES: len(variables[text])} if variables.get(text) else {}
        changed |= _counts(facts, FactKind.OVERLAY, text)
        why = "" if changed else why_nothing(text, facts, stages)
        uses.append(OverlayUse(text, changed, _counts(facts, FactKind.OVERLAY_SAW, text), why))
    return uses


def why_nothing(text: str, facts: list[Fact], stages: Collection[str]) -> str:
    """Why an overlay changed nothing; "" if that is not known."""
    reasons = list(_counts(facts, FactKind.OVERLAY_WHY, text))
    if reasons:
        return "; ".join(reasons[:MOST_REASONS])
    try:
        chosen = parse_overlay(text)
    except ConfigError:  # of another version
        return ""
    if chosen.overlay.argument.startswith("MODULE:") and not _counts(facts, FactKind.OVERLAY_FOUND, text):
        missed = list(_counts(facts, FactKind.OVERLAY_MISSED, text))
        return missed[0] if missed else "its function was not found"
    saw = _counts(facts, FactKind.OVERLAY_SAW, text)
    if saw.keys() & {VERIFIED_ANSWERS, VERIFIED_CODE}:
        return _ALL_VERIFIED
    for stage in [*stages_in(chosen.overlay, chosen.argument), chosen.overlay.stage]:
        if stage and stage not in stages:
            close = difflib.get_close_matches(stage, list(stages), n=1)
            also = f"; the closest stage that was: {close[0]}" if close else ""
            return f"no call of the stage {stage} was seen{also}"
        if stage and CALLS_MADE in saw:
            return f"{stage} was seen, but too few calls of it: the first ones are made as ever"
        if stage and not chosen.overlay.without:
            return f"{stage} was seen, but not as calls of a function that can be replaced"
    return chosen.overlay.without


def left_out_stages(run: dict[str, Any]) -> set[str]:
    """The stages of which calls were not made."""
    found: set[str] = set()
    for text in map(str, run.get(Header.OVERLAYS) or []):
        if text.startswith(_LEAVE_OUT):
            with contextlib.suppress(ConfigError):  # of another version
                chosen = parse_overlay(text)
                found.update(stages_in(chosen.overlay, chosen.argument))
    return found


def _counts(facts: list[Fact], kind: str, text: str) -> dict[str, int]:
    """What was counted for one overlay, all processes together."""
    found: dict[str, int] = {}
    for fact in facts:
        name, _, what = fact.detail.partition(CHANGE_SEPARATOR)
        if fact.kind == kind and name == text:
            found[what] = found.get(what, 0) + int(fact.count)
    return found
