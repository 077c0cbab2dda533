"""Which overlays were on, in the first lines of a report: such a run is not the program's."""

from __future__ import annotations

from goldsplit.model.overlay import OverlayUse
from goldsplit.model.profile import Profile
from goldsplit.report import words
from goldsplit.report.bottleneck import Line


def overlay_lines(profile: Profile) -> list[Line]:
    """One line for each overlay."""
    return [
        Line(
            "Overlay" if first else "",
            f"{use.overlay}: {effect(use)}",
            "strong" if use.changed else "warning",
        )
        for first, use in zip(_first(len(profile.run.overlays)), profile.run.overlays, strict=True)
    ]


def effect(use: OverlayUse) -> str:
    """What an overlay changed, and what it met besides."""
    changed = [f"{words.count(number)} {what}" for what, number in use.changed.items()]
    saw = [f"{words.count(number)} {what}" for what, number in use.saw.items()]
    nothing = f"changed nothing: {use.why}" if use.why else "changed nothing"
    text = "; ".join(changed) if changed else nothing
    return f"{text} ({', '.join(saw)})" if saw else text


def _first(number: int) -> list[bool]:
    return [True, *[False] * (number - 1)][:number]
