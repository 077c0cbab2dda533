"""Which overlays were on, in the first lines of a report: such a run is not the program's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldsplit.model.overlays.overlay import OverlayUse
from goldsplit.model.profile import Profile
from goldsplit.report import words
from goldsplit.report.bottleneck import Line


def overlay_lines(profile: Profile) -> list[Line]:
    """What a profile of settings set; and one line for each overlay."""
    overlays = [
        Line(
            "Overlay" if first else "",
            f"{use.overlay}: {effect(use)}",
            "strong" if use.changed else "warning",
        )
        for first, use in zip(_first(len(profile.run.overlays)), profile.run.overlays, strict=True)
    ]
    return [*profile_line(profile.run.profile), *overlays]


def overlays_in_short(profile: Profile, most: int) -> list[Line]:
    """Their names alone, in one line; of many the first, and how many more there are."""
    uses = profile.run.overlays
    names = [words.plain(use.overlay) + ("" if use.changed else " (changed nothing)") for use in uses[:most]]
    more = f" and {len(uses) - most} more" if len(uses) > most else ""
    return [Line("Overlays", ", ".join(names) + more, "strong")] if uses else []


def profile_line(applied: Mapping[str, Any]) -> list[Line]:
    """`speed.toml: batch=64; variables LEAN=1`"""
    tables = [applied.get("settings") or {}, applied.get("variables") or {}]
    settings, variables = (", ".join(f"{name}={value}" for name, value in one.items()) for one in tables)
    told = "; ".join(part for part in (settings, f"variables {variables}" if variables else "") if part)
    return [Line("Profile", words.plain(f"{applied['file']}: {told}"), "strong")] if told else []


def effect(use: OverlayUse) -> str:
    """What an overlay changed, and what it met besides."""
    changed = [f"{words.count(number)} {what}" for what, number in use.changed.items()]
    saw = [f"{words.count(number)} {what}" for what, number in use.saw.items()]
    nothing = f"changed nothing: {use.why}" if use.why else "changed nothing"
    text = "; ".join(changed) if changed else nothing
    return f"{text} ({', '.join(saw)})" if saw else text


def _first(number: int) -> list[bool]:
    return [True, *[False] * (number - 1)][:number]
