"""A diagnosis: what is slow, where, how much fixing it can save at most, and how to check."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: Faults that cost less than this share of the wall time are not worth fixing.
WORTHWHILE_SHARE = 0.02
#: A remedy that was dropped with a larger measured gain was dropped for another reason than its speed.
LEAST_GAIN = 1.05


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the source."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class MeasuredGain:
    """What paired trials of the remedy said; None: too few pairs, or it was not timed."""

    overlay: str
    """What applied the remedy."""
    gain: float | None
    low: float | None
    high: float | None
    pairs: int
    verdict: str
    """keep, drop or undecided."""
    findings: tuple[int, ...] = ()
    """Where this remedy serves several findings, the numbers (from 1, as the report counts them) of those
    worth fixing: the gain is that of all of them."""
    said_before: bool = False
    """Whether an earlier one of these findings has the same gain: it is one gain, not two."""
    most_together: float | None = None
    """What was predicted at most for all of them; None: nothing, or no bound."""

    @property
    def lost(self) -> bool:
        """Whether it was timed, and brought no gain worth naming."""
        return self.verdict == "drop" and self.gain is not None and self.gain < LEAST_GAIN

    @property
    def more_than_predicted(self) -> bool:
        """Whether the whole interval lies above what was predicted."""
        return self.low is not None and self.most_together is not None and self.low > self.most_together


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, as in the report JSON."""

    code: str
    """The rule's name, as in ``repeated-calls``; docs/rules has a page of that name."""
    title: str
    """One line with the most important figure."""
    where: Place | None
    stage: str | None
    evidence: dict[str, Any]
    """Figures by name, units in the names; every one of them measured on this run."""
    share: float | None
    """Share of the steady phase's wall time that fixing the fault would save; None: not known."""
    ceiling_speedup: float | None
    """Speed-up of the whole run if the fault cost nothing."""
    confidence: str
    """high, medium or low."""
    remedy: str
    verify: str
    """The command that shows whether the remedy worked."""
    effort: str = "hours"
    """minutes, hours or days."""
    risk: str = ""
    """What the remedy could break."""
    overlays: tuple[str, ...] = ()
    """What applies the remedy from outside, without an edit: `name` or `name:argument`, the best first."""
    saves: dict[str, float] = field(default_factory=dict)
    """Stage → the part of `share` that is saved in it; empty: all of it in `stage`."""
    share_low: float | None = None
    share_high: float | None = None
    """The 95 % interval of `share` where samples tell it; None: counted, or not known."""
    ceiling_low: float | None = None
    ceiling_high: float | None = None
    """The ceiling at both ends of that interval."""
    measured: MeasuredGain | None = None
    """What `goldsplit try` measured on this program; None: it was not tried."""

    pointer: bool = False
    """It only says where to look, and names no fault: it ranks below every fault."""

    unbounded: bool = False
    """The recording cannot say what the remedy saves at most: `share` is what was seen, there may be more."""

    @property
    def most_speedup(self) -> float | None:
        """What is printed as "at most": the ceiling at the upper end of its interval."""
        return self.ceiling_high if self.ceiling_high is not None else self.ceiling_speedup

    @property
    def likely_speedup(self) -> float:
        """For the order of findings: what is printed as "at most", else what its share alone would save."""
        most = self.most_speedup
        return most if most is not None else 1.0 / max(1e-3, 1.0 - (self.share or 0.0))

    @property
    def worthwhile(self) -> bool:
        """Whether fixing it saves enough to be noticed."""
        if self.ceiling_speedup is not None:
            return self.ceiling_speedup >= 1.0 / (1.0 - WORTHWHILE_SHARE)
        return self.share is None or self.share >= WORTHWHILE_SHARE
