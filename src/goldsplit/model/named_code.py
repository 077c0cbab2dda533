"""What a function of the user's is taken for, and why."""

from __future__ import annotations

from dataclasses import dataclass

#: The `stage` of what acts when it is called from the loop, and learns when it is called from an update.
BY_PURPOSE = "forward"
#: `ends_at` of a step whose whole result says whether the episode is over.
WHOLE_RESULT = -1
#: `ends_at` of a step whose result is the next state: it does not say whether the episode is over.
NOT_SAID = -2
#: `ends_at` of lines that only try moves, on a copy of the game.
TRIED = "tried"
#: What tells that the game goes on, not that it is over (`alive = game.play(move)`): this, less its place.
_GOES_ON = -10
#: The same for a part that has a name.
_DENIED = "not "


def denied(place: int | str) -> int | str:
    """`ends_at` of a step that tells there whether its game goes on; the other way round for such a one."""
    if isinstance(place, str):
        return place.removeprefix(_DENIED) if place.startswith(_DENIED) else _DENIED + place
    return _GOES_ON - place


def tells_going_on(place: int | str) -> bool:
    """Whether a step says at this place that its game goes on."""
    return place.startswith(_DENIED) if isinstance(place, str) else place <= _GOES_ON - WHOLE_RESULT


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
    """A call of it is one step of the game, a move; other rules of the game are `env.step` too. Of what
    begins a game: it is called once, and then only where the last game is over. Of lines: what they call
    belongs to them, be it a move of the other side or all of a game."""
    ends_at: int | str | None = None
    """For an environment's step: where in its result it says that the episode is over (a place, a key, an
    attribute; `denied` where it says that it goes on), or what then holds of its object (`self.lost or
    self.winner is not None`); None: not known."""
    own_counters: tuple[str, ...] | None = None
    """None: it is a whole function. Otherwise it is some lines of one: nothing, or for lines that step the
    names in which the script itself counts its steps, its episodes and its updates ("": none)."""


class KnownBy:
    """How the time of a function is known."""

    SPANS = "exact"
    SAMPLES = "sampled"
    NOTHING = "not seen"


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """One function of a run in `goldsplit stages --explain`."""

    stage: str | None
    """None: it has none of its own."""
    function: str
    file: str
    line: int
    reason: str
    known_by: str
    share: float | None
    """Of the samples of the training loop in which a thread was at work: those with this function in their
    stack; None without stacks."""
    samples: int
    target: str | None
    """What a mapping calls it; None where none can: a function inside another one, a lambda, a library's."""
    inside: str | None = None
    """Without a stage of its own: the stage of what calls it, which it belongs to."""
    suggested: str | None = None
    """A hot function without a stage of its own: a name to begin with."""
