"""Remedies that were tried: what was predicted, what was measured, whether the game stayed the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FORMAT, VERSION = "goldsplit-try", 1
KEEP, DROP, UNDECIDED = "keep", "drop", "undecided"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A remedy that can be applied from outside."""

    overlay: str
    """Name and argument."""
    finding: str
    """Code of the finding that offers it; "" for one that is always tried, or that the user asked for."""
    title: str
    predicted_gain: float | None
    """The finding's ceiling; None: nothing was predicted."""
    for_good: str
    """What to write in the code to have it without goldsplit."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A gain from paired trials; None: not measured, or too few pairs for an interval."""

    gain: float | None = None
    low: float | None = None
    high: float | None = None
    pairs: int = 0


@dataclass(frozen=True, slots=True)
class Tried:
    """One remedy, tried."""

    candidate: Candidate
    measured: Measured
    equal: str
    """yes, no or not comparable."""
    equal_why: str
    verdict: str
    why: str

    def to_json(self) -> dict[str, Any]:
        return {
            "overlay": self.candidate.overlay,
            "finding": self.candidate.finding,
            "predicted_gain": self.candidate.predicted_gain,
            "measured_gain": self.measured.gain,
            "measured_low": self.measured.low,
            "measured_high": self.measured.high,
            "pairs": self.measured.pairs,
            "equal": self.equal,
            "equal_why": self.equal_why,
            "verdict": self.verdict,
            "why": self.why,
            "for_good": self.candidate.for_good,
        }


@dataclass(frozen=True, slots=True)
class Together:
    """All kept remedies at once."""

    overlays: tuple[str, ...]
    measured: Measured
    equal: str = ""
    """yes, no or not comparable; "": not compared."""
    verdict: str = UNDECIDED
    why: str = ""


@dataclass(frozen=True, slots=True)
class TryResult:
    """Everything that was tried on one program."""

    run: str
    """Id of the recording that the remedies come from."""
    command: tuple[str, ...]
    tried: tuple[Tried, ...]
    """Kept ones first, the largest gain first."""
    together: Together | None
    """None: no remedy was kept."""
    left_out: tuple[str, ...] = ()
    """Overlays for which there was no time."""
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    trial_seconds: float | None = None
    """After so long a trial was ended; None: no trial was made."""

    @property
    def kept(self) -> tuple[Tried, ...]:
        return tuple(one for one in self.tried if one.verdict == KEEP)

    def to_json(self) -> dict[str, Any]:
        together: dict[str, Any] = {}
        if self.together is not None:
            found = asdict(self.together.measured)
            together = {
                "overlays": list(self.together.overlays),
                "measured_gain": found["gain"],
                "measured_low": found["low"],
                "measured_high": found["high"],
                "pairs": found["pairs"],
                "equal": self.together.equal,
                "verdict": self.together.verdict,
                "why": self.together.why,
            }
        return {
            "format": FORMAT,
            "version": VERSION,
            "run": self.run,
            "command": list(self.command),
            "tried": [one.to_json() for one in self.tried],
            "together": together,
            "left_out": list(self.left_out),
            "notes": list(self.notes),
            "interrupted": self.interrupted,
            "trial_seconds": self.trial_seconds,
        }


def rows_of(data: Any) -> list[dict[str, Any]]:
    """The tried remedies in what `to_json` has written; none in anything else."""
    if not isinstance(data, dict) or (data.get("format"), data.get("version")) != (FORMAT, VERSION):
        return []
    return [row for row in data.get("tried", ()) if isinstance(row, dict)]
