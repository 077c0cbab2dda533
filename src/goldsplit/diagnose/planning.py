"""Profile and findings → plan: what to do first, how much all steps save together, what remains.

Everything here is "at most". What steps save is taken from stages and never counted twice: see `savings.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from goldsplit.diagnose.certainty import FEWEST_TO_NAME
from goldsplit.diagnose.savings import at_most, combined_speedup, saved_together
from goldsplit.diagnose.tried_findings import is_lost
from goldsplit.model.finding import WORTHWHILE_SHARE, Finding
from goldsplit.model.plan import Plan, PlanStep, StageAnswer, StageLeft
from goldsplit.model.profile import Hotspot, Profile, StageRow

#: The parts of a stage's hot time in user code from which on the user can change it mostly, or partly.
MOSTLY_OWN, PARTLY_OWN = 0.5, 0.15
MOST_CANDIDATES = 10


def make_plan(profile: Profile, findings: Sequence[Finding]) -> Plan:
    """The plan for one run."""
    known = [finding for finding in findings if finding.worthwhile and not finding.pointer]
    worth = [finding for finding in known if not is_lost(finding)]
    steps = [
        PlanStep(
            finding,
            combined_speedup(profile, worth[: n + 1]),
            any(one.unbounded for one in worth[: n + 1]),
        )
        for n, finding in enumerate(worth)
    ]
    # What was tried and lost stays in sight, but saves nothing.
    steps += [PlanStep(one, combined_speedup(profile, worth), counts=False) for one in known if is_lost(one)]
    left, outside, outside_after = stages_left(profile, worth)
    return Plan(
        steps=steps,
        not_worth=[finding for finding in findings if not finding.worthwhile],
        answers=[answer_for_stage(profile, row, worth) for row in profile.stages],
        candidates=candidates(profile),
        share_by_kind=share_by_owner(profile.hotspots),
        left=left,
        left_unattributed_share=outside_after,
        unattributed_left_share=outside,
    )


def stages_left(profile: Profile, findings: Sequence[Finding]) -> tuple[list[StageLeft], float, float]:
    """After all steps: every stage's share of the run that is left; and the share without a stage, of today's
    wall time and of what is left."""
    saved = saved_together(profile, [at_most(finding) for finding in findings])
    kept = {row.stage: max(0.0, row.wall_share - saved.get(row.stage, 0.0)) for row in profile.stages}
    outside = max(0.0, profile.unattributed.wall_share - saved.get("", 0.0))
    total = sum(kept.values()) + outside
    if total <= 0:
        return [], 0.0, 0.0
    rows = [
        StageLeft(row.stage, row.wall_share, kept[row.stage] / total, kept[row.stage])
        for row in profile.stages
    ]
    return sorted(rows, key=lambda row: -row.share_after), outside, outside / total


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
