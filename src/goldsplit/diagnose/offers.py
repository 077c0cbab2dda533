"""Which overlays apply a finding's remedy from outside: each overlay names the rules that offer it."""

from __future__ import annotations

import dataclasses
import re

from goldsplit.model.finding import Finding, Place
from goldsplit.model.launched import module_of
from goldsplit.model.overlays.overlay import OVERLAYS, Overlay
from goldsplit.model.profile import Profile

_NAME = re.compile(r"[A-Za-z_][\w.]*")
_TARGET = "MODULE:FUNCTION"
_THREADS = "threads"
#: This rule says itself whether answers may be kept, and for how long: without its word they may not.
_SAYS_ITSELF = ("repeated-calls",)


def with_overlays(profile: Profile, finding: Finding) -> Finding:
    """A finding with the overlays that apply it; what its rule says itself stays."""
    if finding.overlays or finding.code in _SAYS_ITSELF:
        return finding
    found = [text for one in OVERLAYS if finding.code in one.rules for text in texts(profile, finding, one)]
    return dataclasses.replace(finding, overlays=tuple(found)) if found else finding


def texts(profile: Profile, finding: Finding, overlay: Overlay) -> list[str]:
    """How the overlay is written for this finding; none where its argument is not known."""
    if overlay.name == _THREADS:
        return [f"{_THREADS}:1"]
    if overlay.argument.startswith(_TARGET):
        target = target_of(profile, finding.where)
        return [f"{overlay.name}:{target}"] if target else []
    return [overlay.name] if re.fullmatch(overlay.pattern, "") is not None else []


def target_of(profile: Profile, place: Place | None) -> str:
    """`module:function` as the program imports it; "" for code without a name that leads to it."""
    if place is None or _NAME.fullmatch(place.function) is None:
        return ""
    module = module_of(profile, place.file)
    return f"{module}:{place.function}" if _NAME.fullmatch(module) else ""
