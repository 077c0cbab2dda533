"""Profile and findings → plan: what to do first, how much all steps save together, what remains.

Everything here is "at most". Steps in one stage are added up, because they may fix different things, but a
stage can never save more than it takes. Of two findings about one function only the larger counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.certainty import FEWEST_TO_NAME
from goldsplit.diagnose.rule import row_of
from goldsplit.model.finding import WORTHWHILE_SHARE, Finding
from goldsplit.model.plan import Plan, PlanStep, StageAnswer, StageLeft
from goldsplit.model.profile import Hotspot, Profile, StageRow

#: The parts of a stage's hot time in user code from which on the user can change it mostly, or partly.
MOSTLY_OWN, PARTLY_OWN = 0.5, 0.15
MOST_CANDIDATES = 10


def make_plan(profile: Profile, findings: Sequence[Finding]) -> Plan:
    """The plan for one run."""
    worth = [finding for finding in findings if finding.worthwhile]
    steps = [PlanStep(finding, combined_speedup(profile, worth[: n + 1])) for n, finding in enumerate(worth)]
    left, unattributed = stages_left(profile, worth)
    return Plan(
        steps=steps,
        not_worth=[finding for finding in findings if not finding.worthwhile],
        answers=[answer_for_stage(profile, row, worth) for row in profile.stages],
        candidates=candidates(profile),
        share_by_kind=share_by_owner(profile.hotspots),
        left=left,
        left_unattributed_share=unattributed,
        saved_across_share=saved_outside_stages(profile, worth),
    )


def combined_speedup(profile: Profile, findings: Sequence[Finding]) -> float | None:
    """Speed-up of the run if all these findings cost nothing; None if no time would remain."""
    known = [finding.ceiling_speedup for finding in findings if finding.ceiling_speedup is not None]
    if len(findings) == 1 and known:
        return known[0]
    combined = speedup_if(profile, fractions_left(profile, findings))
    if combined is None:
        return None
    left = 1.0 / combined - saved_outside_stages(profile, findings)
    return max([1.0 / left, *known]) if left > 1e-9 else None  # never less than the best of them alone


def fractions_left(profile: Profile, findings: Sequence[Finding]) -> dict[str, float]:
    """Stage → the fraction of its cost that is left when these findings are fixed."""
    left = {}
    for row in profile.stages:
        inside = [f for f in findings if f.stage == row.stage and is_inside(profile, f)]
        saved = sum(saved_by_function(inside).values())
        if saved > 0 and row.wall_share > 0:
            left[row.stage] = max(0.0, 1.0 - saved / row.wall_share)
    return left


def is_inside(profile: Profile, finding: Finding) -> bool:
    """Whether a finding's cost fits into its stage. The cost of a barrier does not: waiting for a stage can
    take more time than the stage itself."""
    row = row_of(profile, finding.stage or "")
    return row is not None and share_of_finding(finding) <= row.wall_share + 1e-6


def saved_outside_stages(profile: Profile, findings: Sequence[Finding]) -> float:
    """Share of wall time that is saved by findings that are not inside a stage."""
    return sum(saved_by_function([f for f in findings if not is_inside(profile, f)]).values())


def saved_by_function(findings: Sequence[Finding]) -> dict[str, float]:
    """Share of wall time that fixing saves; of several findings about one function the largest counts."""
    saved: dict[str, float] = defaultdict(float)
    for finding in findings:
        where = finding.where
        key = f"{where.file}:{where.function}" if where is not None else finding.code
        saved[key] = max(saved[key], share_of_finding(finding))
    return saved


def share_of_finding(finding: Finding) -> float:
    """A finding's share of wall time; from its ceiling if only that is known."""
    if finding.share is not None:
        return finding.share
    return 1.0 - 1.0 / finding.ceiling_speedup if finding.ceiling_speedup else 0.0


def stages_left(profile: Profile, findings: Sequence[Finding]) -> tuple[list[StageLeft], float]:
    """After all steps: every stage's share of the run that is left, and the share without a stage."""
    fractions = fractions_left(profile, findings)
    kept = {row.stage: row.wall_share * fractions.get(row.stage, 1.0) for row in profile.stages}
    total = sum(kept.values()) + profile.unattributed.wall_share
    if total <= 0:
        return [], 0.0
    rows = [StageLeft(row.stage, row.wall_share, kept[row.stage] / total) for row in profile.stages]
    return sorted(rows, key=lambda row: -row.share_after), profile.unattributed.wall_share / total


def answer_for_stage(profile: Profile, row: StageRow, steps: Sequence[Finding]) -> StageAnswer:
    """Can the user's own code make this stage faster?"""
    spots = [spot for spot in profile.hotspots if spot.stage == row.stage]
    total = sum(spot.self_share for spot in spots)
    own = [spot for spot in spots if spot.kind == "yours"]
    own_share = sum(spot.self_share for spot in own) / total if total > 0 else None
    numbers = [number for number, finding in enumerate(steps, 1) if finding.stage == row.stage]
    if stage_gain(row) < WORTHWHILE_SHARE and not numbers:
        word = "small"
    elif own_share is None:
        word = "unknown"
    else:
        word = "yes" if own_share >= MOSTLY_OWN else "partly" if own_share >= PARTLY_OWN else "no"
    sure = [spot for spot in own or spots if spot.samples >= FEWEST_TO_NAME]
    hottest = max(sure, key=lambda spot: spot.self_share, default=None)
    return StageAnswer(row.stage, word, own_share, hottest, numbers)


def stage_gain(row: StageRow) -> float:
    """The part of wall time saved if a stage cost nothing: from its ceiling, else its share."""
    return 1.0 - 1.0 / row.ceiling_speedup if row.ceiling_speedup else row.wall_share


def candidates(profile: Profile) -> list[Hotspot]:
    """The user's own hot functions that enough samples show, the hottest first."""
    own = [spot for spot in profile.hotspots if spot.kind == "yours" and spot.self_share >= WORTHWHILE_SHARE]
    return [spot for spot in own if spot.samples >= FEWEST_TO_NAME][:MOST_CANDIDATES]


def share_by_owner(spots: Sequence[Hotspot]) -> dict[str, float]:
    """Wall time in hot functions by the owner of the code (yours, library, ...), the largest first."""
    shares: dict[str, float] = defaultdict(float)
    for spot in spots:
        shares[spot.kind] += spot.self_share
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
