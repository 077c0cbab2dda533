"""What a rule is, and what rules share: ceilings, commands, wording of places."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from goldsplit.analyse.ceilings import speedup_if
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile, StageRow


@dataclass(frozen=True, slots=True)
class Rule:
    """One diagnosis. The docstring of its module is its documentation page."""

    code: str
    check: Callable[[Profile], Iterable[Finding]]
    needs_deep: bool = False


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


def record_again(profile: Profile, deep: bool = False) -> str:
    """The command that records the same training once more."""
    option = " --deep" if deep else ""
    return f"goldsplit record{option} -- {shlex.join(profile.run.command)}"
