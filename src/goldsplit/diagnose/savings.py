"""What findings save, stage by stage: alone, and together without counting anything twice.

Everything here is "at most". A stage never saves more than it takes. A function that is called inside another
finding's function counts once: what fixing the outer one removes, fixing the inner one cannot remove again.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from goldsplit.analyse.predict.ceilings import highest, most_speedup_if, speedup_if
from goldsplit.diagnose.rule import row_of
from goldsplit.model.finding import Finding, Place
from goldsplit.model.hot_code.function_cost import FunctionCost, key_of
from goldsplit.model.profile import Profile
from goldsplit.model.stage import STARTUP, category_of

Saved = dict[str, float]
"""Stage → share of wall time; "" for time in no stage."""


def sampled_function(profile: Profile, place: Place | None) -> FunctionCost | None:
    """What samples say about the function that a place is in; None: too few of them."""
    if place is None:
        return None
    key = key_of(place)
    return next((one for one in profile.functions if one.key == key), None)


def share_of_finding(finding: Finding) -> float:
    """A finding's share of wall time; from its ceiling if only that is known."""
    if finding.share is not None:
        return finding.share
    return 1.0 - 1.0 / finding.ceiling_speedup if finding.ceiling_speedup else 0.0


def saved_by_stage(profile: Profile, finding: Finding) -> Saved:
    """Where a finding saves its share. What its stage is too small for comes from its category: the cost of a
    barrier, say, is in the waiting for a stage. What has no stage is taken from all of them evenly."""
    if finding.stage == STARTUP and row_of(profile, STARTUP) is None:
        return {}  # before the loop: nothing of the steady phase
    room = {row.stage: row.wall_share for row in profile.stages} | {"": profile.unattributed.wall_share}
    saved: Saved = defaultdict(float)
    left = 0.0
    for stage, share in (finding.saves or {finding.stage or "": share_of_finding(finding)}).items():
        taken = min(share, max(0.0, room.get(stage, 0.0) - saved[stage])) if stage else 0.0
        saved[stage] += taken
        beside = [row.stage for row in profile.stages if stage and row.category == category_of(stage)]
        left += _spread(saved, share - taken, {one: room[one] - saved[one] for one in beside})
    _spread(saved, left, {stage: room[stage] - saved[stage] for stage in room})
    return {stage: share for stage, share in saved.items() if share > 0.0}


def _spread(saved: Saved, share: float, room: Mapping[str, float]) -> float:
    """Take a share from several stages in proportion to their room; returns what did not fit."""
    whole = sum(room.values())
    taken = min(share, whole)
    if taken > 0.0:
        for stage, free in room.items():
            saved[stage] += taken * free / whole
    return max(0.0, share - taken)


def saved_together(profile: Profile, findings: Sequence[Finding]) -> Saved:
    """Stage → what all these findings save in it, each second of the run once."""
    total: Saved = defaultdict(float)
    for number, finding in enumerate(findings):
        share = share_of_finding(finding)
        twice = max((overlap(profile, finding, other) for other in findings[:number]), default=0.0)
        factor = max(0.0, 1.0 - twice / share) if share > 0.0 else 0.0
        for stage, part in saved_by_stage(profile, finding).items():
            total[stage] += factor * part
    room = {row.stage: highest(row) for row in profile.stages} | {"": profile.unattributed.wall_share}
    return {stage: min(share, room.get(stage, 0.0)) for stage, share in total.items() if share > 0.0}


def at_most(finding: Finding) -> Finding:
    """A finding that saves what its printed ceiling says: its share at the upper end of its interval."""
    high, most = finding.share_high, finding.most_speedup
    if high is None or most is None or not finding.share:
        return finding
    high = min(high, 1.0 - 1.0 / most)
    if high <= finding.share:
        return finding
    saves = {stage: part * high / finding.share for stage, part in finding.saves.items()}
    return dataclasses.replace(finding, share=high, saves=saves)


def overlap(profile: Profile, one: Finding, other: Finding) -> float:
    """Share of wall time that two findings would both save.

    In one function it is the smaller of both. Where one function is inside the other: the part of the time in
    both that the one saves, of which the other saves its part.
    """
    saved, also = share_of_finding(one), share_of_finding(other)
    if one.where is None or other.where is None:
        return 0.0
    if key_of(one.where) == key_of(other.where):
        return min(saved, also)
    first, second = sampled_function(profile, one.where), sampled_function(profile, other.where)
    if first is None or second is None:
        return 0.0
    both = max(first.within.get(second.key, 0.0), second.within.get(first.key, 0.0))
    part = min(1.0, saved / first.share) * min(1.0, also / second.share)
    return min(both * part, saved, also)


def fractions_left(profile: Profile, saved: Mapping[str, float]) -> dict[str, float]:
    """Stage → the fraction of its cost that is left."""
    return {
        row.stage: max(0.0, 1.0 - saved[row.stage] / row.wall_share)
        for row in profile.stages
        if saved.get(row.stage, 0.0) > 0.0 and row.wall_share > 0.0
    }


def speedup_without(profile: Profile, saved: Mapping[str, float]) -> float | None:
    """Speed-up of the run if these shares of its stages went away; None if nothing would remain."""
    faster = speedup_if(profile, fractions_left(profile, saved))
    if faster is None:
        return None
    beyond = sum(max(0.0, saved.get(row.stage, 0.0) - row.wall_share) for row in profile.stages)
    left = 1.0 / faster - saved.get("", 0.0) - beyond
    return max(1.0, 1.0 / left) if left > 1e-3 else None


def combined_speedup(profile: Profile, findings: Sequence[Finding]) -> float | None:
    """What is printed as "at most" of all these findings together; None if no time would remain. Never less
    than the best of them alone, and never more than all their categories at no cost."""
    known = [finding.most_speedup for finding in findings if finding.most_speedup is not None]
    if len(findings) == 1 and known:
        return known[0]
    every = [at_most(finding) for finding in findings]
    saved = saved_together(profile, every)
    combined = speedup_without(profile, saved)
    most = most_speedup(profile, saved) if "" not in saved else None
    if combined is None or (most is not None and most < combined):
        combined = most
    return None if combined is None else max([combined, *known])


def most_speedup(profile: Profile, stages: Iterable[str]) -> float | None:
    """Speed-up of the run if everything of the same categories took no time; None: no bound."""
    kinds = {category_of(stage) for stage in stages if stage}
    if not kinds:
        return None
    return most_speedup_if(profile, {row.stage for row in profile.stages if row.category in kinds})


def bounded(profile: Profile, finding: Finding) -> Finding:
    """A finding whose ceiling is not above that of all its categories at no cost, with the interval that its
    samples, or those of its stages, leave open."""
    if finding.share is None or finding.ceiling_speedup is None:
        return finding
    saves = saved_by_stage(profile, finding)
    most = most_speedup(profile, saves) if "" not in saves else None
    ceiling = finding.ceiling_speedup if most is None else min(finding.ceiling_speedup, most)
    low, high = finding.share_low, finding.share_high
    if low is None or high is None:
        low, high = _interval_of_stages(profile, finding.share, saves)
    if low is None or high is None or finding.share <= 0.0:
        return dataclasses.replace(finding, ceiling_speedup=ceiling, saves=saves)
    gain = 1.0 - 1.0 / ceiling
    ends = [1.0 / max(1e-3, 1.0 - gain * end / finding.share) for end in (low, high)]
    return dataclasses.replace(
        finding,
        ceiling_speedup=ceiling,
        saves=saves,
        share_low=low,
        share_high=high,
        ceiling_low=min(ceiling, ends[0]),
        ceiling_high=max(ceiling, min(ends[1], most or ends[1])),
    )


def _interval_of_stages(profile: Profile, share: float, saves: Saved) -> tuple[float | None, float | None]:
    """A share's interval, from those of the stages that it is saved in; None where they are exact."""
    below = above = 0.0
    for stage, part in saves.items():
        row = row_of(profile, stage)
        if row is not None and row.wall_share > 0.0:
            below += part * max(0.0, 1.0 - row.wall_share_low / row.wall_share)
            above += part * max(0.0, row.wall_share_high / row.wall_share - 1.0)
    if below + above < 1e-4:
        return None, None
    return max(0.0, share - below), min(1.0, share + above)
