"""What a rule is, and what rules share: shares of stages, ceilings, the line to name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.certainty import FEWEST_TO_NAME
from goldsplit.model.finding import Finding, Place
from goldsplit.model.launched import DRIVER as DRIVER
from goldsplit.model.launched import record_again as record_again
from goldsplit.model.profile import Profile, StageRow

#: Part of a function's time that must be in some stages for it to be a function of theirs.
MOSTLY = 0.9

#: In `yields_to`: every rule that does not itself yield to any other.
ANY = "*"


@dataclass(frozen=True, slots=True)
class Rule:
    """One diagnosis. The docstring of its module is its documentation page."""

    code: str
    check: Callable[[Profile], Iterable[Finding]]
    needs_deep: bool = False
    yields_to: tuple[str, ...] = ()
    """Codes of more precise rules. A finding of this rule is dropped if one of theirs names the same function
    or explains most of the same category's cost. (ANY,) for general rules such as `environment-bound`."""
    once: bool = False
    """Whether only the first of its findings that stays is kept; `check` yields the best one first."""


def percent(share: float) -> str:
    """A share for reading."""
    return f"{100 * share:.{0 if share >= 0.0995 else 1}f} %"


def row_of(profile: Profile, stage: str) -> StageRow | None:
    """A stage's row, if it has one."""
    return next((row for row in profile.stages if row.stage == stage), None)


def share_of(profile: Profile, *prefixes: str) -> float:
    """Wall share of all stages whose names begin with one of the prefixes."""
    return sum(row.wall_share for row in profile.stages if row.stage.startswith(prefixes))


def ceiling(profile: Profile, stage: str, saved: float) -> tuple[float, float | None]:
    """Share of wall time and speed-up of the run if `saved` (0..1) of a stage's cost went away."""
    row = row_of(profile, stage)
    if row is None:
        return 0.0, None
    return row.wall_share * saved, speedup_if(profile, {stage: 1.0 - saved})


def saved_if(profile: Profile, remaining: Mapping[str, float]) -> dict[str, float]:
    """Stage → share of wall time that goes away if stages keep only these fractions of their cost."""
    return {
        row.stage: row.wall_share * (1.0 - remaining[row.stage])
        for row in profile.stages
        if remaining.get(row.stage, 1.0) < 1.0
    }


def line_in(profile: Profile, *prefixes: str) -> Place | None:
    """The most expensive line of user code in stages whose names begin with one of the prefixes; None if too
    few samples show it."""
    lines = (line for line in profile.user_lines if (line.stage or "").startswith(prefixes))
    return next((line.place for line in lines if line.samples >= FEWEST_TO_NAME), None)


def function_in(profile: Profile, stage: str, part: float = 0.8) -> Place | None:
    """The innermost function of user code in which most of a stage is spent, callees included. If a search
    calls a small helper a thousand times, it is the search."""
    lines = [line for line in profile.user_lines if line.stage == stage and line.with_callees is not None]
    whole, samples = sum(line.share for line in lines), sum(line.samples for line in lines)
    around = [line for line in lines if (line.with_callees or 0.0) >= part * whole]
    if samples * part < FEWEST_TO_NAME or not around:
        return line_in(profile, stage)
    return min(around, key=lambda line: line.with_callees or 0.0).place


def largest_function_in(profile: Profile, prefix: str) -> Place | None:
    """The user's function that most time of some stages is inside of, callees included, and that does little
    else. The outermost one: its share is large, so that the next recording names the same."""
    own = {
        one.place: sum(share for stage, share in one.stages.items() if stage.startswith(prefix))
        for one in profile.functions
    }
    pure = [one for one in profile.functions if own[one.place] >= MOSTLY * one.share > 0.0]
    most = max(pure, key=lambda one: (round(own[one.place], 2), one.key), default=None)
    return most.place if most is not None and most.samples >= FEWEST_TO_NAME else line_in(profile, prefix)


def fact_place(profile: Profile, kind: str, detail: str | None = None) -> Place | None:
    """Where a fact was counted most often, in all processes."""
    counts: Counter[Place] = Counter()
    for fact in profile.facts:
        if fact.kind == kind and fact.place is not None and detail in (None, fact.detail):
            counts[fact.place] += round(fact.count)
    return counts.most_common(1)[0][0] if counts else None
