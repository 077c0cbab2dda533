"""What a function of the user's own costs the run with all that it calls, over all stages."""

from __future__ import annotations

from dataclasses import dataclass, field

from goldsplit.model.finding import Place


@dataclass(frozen=True, slots=True)
class FunctionCost:
    """One function by its inclusive share. Shares are of the steady phase's wall time, from stack samples."""

    place: Place
    """Its most sampled line."""
    share: float
    """With all that it calls; recursion counts once."""
    share_low: float
    share_high: float
    """The 95 % interval of `share`."""
    samples: int
    """Samples with this function on the stack."""
    self_share: float
    """In its own lines and in library code that it calls itself."""
    library_share: float
    """The part of `share` that is inside library code, whoever calls it."""
    stages: dict[str, float] = field(default_factory=dict)
    """Stage → its part of `share`; "" for time in no stage. Together they are `share`."""
    within: dict[str, float] = field(default_factory=dict)
    """Each of the user's functions around it, by its key → the part of `share` inside that function."""
    callers: dict[str, float] = field(default_factory=dict)
    """The user's functions that call it, by their keys → the part of `share` in such calls."""
    lines: dict[int, float] = field(default_factory=dict)
    """Its lines → the part of `share` on each with all that is called there, the hottest first."""
    own_lines: dict[int, float] = field(default_factory=dict)
    """The same without the user's own functions that are called there: the parts of `self_share`."""
    checks: dict[str, float] = field(default_factory=dict)
    """Stage → the part of `self_share` in which torch checks the arguments of distributions."""
    checks_low: float = 0.0
    checks_high: float = 0.0
    """The 95 % interval of their sum; where none was seen, what the samples leave open."""
    checks_samples: int = 0

    @property
    def key(self) -> str:
        return key_of(self.place)


def key_of(place: Place) -> str:
    """What names a function among all of a run: file and qualified name."""
    return f"{place.file}:{place.function}"
