"""What can be wrong with what a user asked for: each error has a message and a line `hint: ...`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from goldsplit.errors import GoldsplitError


class TrainError(GoldsplitError):
    """A mistake in the options, a profile, a checkpoint or the choice of a game."""


def closest(wrong: str, known: Iterable[str], otherwise: str) -> str:
    """A hint that names the known word most like the wrong one, or what to do where none is like it."""
    near = difflib.get_close_matches(wrong.lower(), list(known), n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else otherwise
