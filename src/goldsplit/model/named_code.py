"""What a function of the user's is taken for, and why."""

from __future__ import annotations

from dataclasses import dataclass

#: The `stage` of what acts when it is called from the loop, and learns when it is called from an update.
BY_PURPOSE = "forward"
#: `ends_at` of a step whose whole result says whether the episode is over.
WHOLE_RESULT = -1
#: `ends_at` of a step whose result is the next state: it does not say whether the episode is over.
NOT_SAID = -2


@dataclass(frozen=True, slots=True)
class NamedFunction:
    """One function and its stage."""

    file: str
    function: str
    """Its qualified name: `Player.push`."""
    first: int
    last: int
    """Its lines."""
    stage: str
    reason: str
    """In words, for `goldsplit stages --explain`."""
    counted: bool = False
    """A call of it is one step of the game, a move; other rules of the game are `env.step` too."""
    ends_at: int | str | None = None
    """For an environment's step: where in its result it says that the episode is over (a place, a key, an
    attribute); None: not known."""
