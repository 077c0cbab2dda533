"""Finds the function of the deep look that a place is in, and reads qualified names."""

from __future__ import annotations

import re

from goldsplit.model.deep import DeepFunction, DeepLook
from goldsplit.model.finding import Place

#: Comprehensions, generator expressions and lambdas at the end of a qualified name.
_NAMELESS = re.compile(r"(\.<\w+>)+$")


def bare_name(function: str) -> str:
    """A function's name without its class: the last part of the qualified name that is not `<...>`."""
    named = [part for part in function.split(".") if not part.startswith("<")]
    return named[-1] if named else function


def enclosing_function(function: str) -> str:
    """The named function that a comprehension or lambda is in."""
    return _NAMELESS.sub("", function) or function


def function_at(deep: DeepLook, place: Place) -> DeepFunction | None:
    """The function of the deep look that a place is in."""
    here = (place.file, enclosing_function(place.function))
    return next((f for f in deep.functions if (f.place.file, f.place.function) == here), None)
