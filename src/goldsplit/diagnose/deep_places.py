"""Which function a place is in, as the deep look and the samples know it."""

from __future__ import annotations

import re

from goldsplit.model.deep import DeepFunction, DeepLook
from goldsplit.model.finding import Place
from goldsplit.model.profile import Hotspot, Profile

#: Comprehensions, generator expressions and lambdas at the end of a qualified name.
_NAMELESS = re.compile(r"(\.<\w+>)+$")


def bare(function: str) -> str:
    """A function's own name: the last part of its qualified one that is a name."""
    named = [part for part in function.split(".") if not part.startswith("<")]
    return named[-1] if named else function


def enclosing(function: str) -> str:
    """The named function that a comprehension or lambda is in."""
    return _NAMELESS.sub("", function) or function


def function_at(deep: DeepLook, place: Place) -> DeepFunction | None:
    """The function that a place is in."""
    here = (place.file, enclosing(place.function))
    return next((f for f in deep.functions if (f.place.file, f.place.function) == here), None)


def hotspot_at(profile: Profile, place: Place) -> Hotspot | None:
    """The sampled function that a place is in."""
    name = bare(place.function)
    spots = [spot for spot in profile.hotspots if spot.file == place.file and bare(spot.function) == name]
    return next((spot for spot in spots if spot.function == place.function), spots[0] if spots else None)
