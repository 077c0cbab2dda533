"""On how much a finding rests, and what that allows it to say.

A place is named, and "high" is said, only if a second recording of the same program would say the same.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import Profile

#: A function or line that was seen in fewer samples than this is not named: the next recording names another.
FEWEST_TO_NAME = 8
#: From this many on, a share is known within about a third, and the same place comes first again.
MANY_SAMPLES = 30
#: Fewer calls than this, of a stage or at a place that the deep look saw, are not typical of it.
MANY_CALLS = 30
#: A steady phase shorter than this may be of one kind of episode only.
LONG_SECONDS = 5.0
#: Half the width of the interval of the stage's share: beyond the first nothing is certain, beyond the second
#: nothing is even likely.
MOST_SPREAD, FAR_TOO_WIDE = 0.1, 0.25
#: In the evidence: how many samples show the named place.
SAMPLES = "samples_at_place"

_ORDER = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a finding rests on; None: it does not rest on that."""

    samples: int | None = None
    """Of the place, if it is known from samples only."""
    calls: int | None = None
    """Of the stage, or at the place, whichever are fewer."""
    spread: float = 0.0
    """Half the width of the interval of the stage's share."""
    seconds: float | None = None
    """Of the steady phase."""


def most_confidence(grounds: Grounds) -> str:
    """The highest confidence that these grounds allow."""
    if grounds.spread > FAR_TOO_WIDE:
        return "low"
    thin = (
        (grounds.samples is not None and grounds.samples < MANY_SAMPLES)
        or (grounds.calls is not None and grounds.calls < MANY_CALLS)
        or (grounds.seconds is not None and grounds.seconds < LONG_SECONDS)
        or grounds.spread > MOST_SPREAD
    )
    return "medium" if thin else "high"


def grounded(profile: Profile, finding: Finding) -> Finding:
    """A finding with the samples of its place, and no more confident than its grounds allow."""
    seen = samples_at(profile, finding.where) if finding.where is not None else 0
    grounds = grounds_of(profile, finding, seen)
    allowed = min(finding.confidence, most_confidence(grounds), key=_rank)
    evidence = finding.evidence | ({SAMPLES: seen} if seen and "samples" not in finding.evidence else {})
    return dataclasses.replace(finding, confidence=allowed, evidence=evidence)


def grounds_of(profile: Profile, finding: Finding, seen: int) -> Grounds:
    """What a finding rests on."""
    row = next((row for row in profile.stages if row.stage == finding.stage), None)
    is_sampled = finding.where is not None and known_from_samples_only(profile, finding.where)
    calls = [row.calls] if row is not None and row.source == "span" and row.calls is not None else []
    calls += deep_calls_at(profile, finding.where) if finding.where is not None else []
    return Grounds(
        samples=seen if is_sampled else None,
        calls=min(calls, default=None),
        spread=(row.wall_share_high - row.wall_share_low) / 2 if row is not None else 0.0,
        seconds=profile.phases.steady_seconds,
    )


def deep_calls_at(profile: Profile, place: Place) -> list[int]:
    """Calls of a function, or in its lines, that the deep look saw; empty if it did not see the function."""
    if profile.deep is None:
        return []
    here = (place.file, place.function)
    inside = [site.calls for site in profile.deep.sites if (site.place.file, site.place.function) == here]
    own = [one.calls for one in profile.deep.functions if (one.place.file, one.place.function) == here]
    return [max(sum(inside), *own, 0)] if inside or own else []


def known_from_samples_only(profile: Profile, place: Place) -> bool:
    """Whether no hook and no deep look saw this place, only samples."""
    if not any(line.place == place for line in profile.user_lines):
        return False
    counted = {fact.place for fact in profile.facts}
    if profile.deep is not None:
        counted |= {site.place for site in profile.deep.sites}
        counted |= {function.place for function in profile.deep.functions}
    return place not in counted


def samples_at(profile: Profile, place: Place) -> int:
    """How many samples show a function, in its own lines or below it; 0: none, or not known."""
    here = (place.file, place.function)
    own = 0
    for line in profile.user_lines:
        if (line.place.file, line.place.function) == here:
            below = (line.with_callees or 0.0) / line.share if line.share > 0 else 1.0
            own += round(line.samples * max(1.0, below))
    spots = (spot.samples for spot in profile.hotspots if (spot.file, spot.function) == here)
    return max(own, *spots, 0)


def _rank(confidence: str) -> int:
    return _ORDER.index(confidence) if confidence in _ORDER else 0
