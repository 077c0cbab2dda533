"""Does a report contradict itself? Every claim is checked against the others before anything is printed, and
the weaker of two that cannot both be true is withdrawn.

A check says what is wrong, and how the profile looks without the weaker claim. Speed over a whole phase is
measured; a trend is inferred from windows: the trend goes. A share is measured; a ceiling is computed from a
model of the run: the ceiling goes down to what the share allows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from goldsplit.analyse.predict.drift import first_of
from goldsplit.model.finding import Finding
from goldsplit.model.plan import Plan, PlanStep
from goldsplit.model.profile import Hotspot, Profile, StageRow
from goldsplit.model.progress import Drift
from goldsplit.model.stage import category_of

#: More env steps per second by this much, and a step that costs more, are a contradiction.
FASTER = 0.05
#: A step that is said to cost more must do so by at least this factor.
COSTS_MORE = 1.05
#: A run that slows down all along is on average at least nearly as slow as at its beginning.
MEAN_AGAINST_FIRST = 0.8
#: Ceilings may lie above what shares allow by rounding.
ROUNDING = 1.02

Check = Callable[[Profile], tuple[str, Profile] | None]


def contradictions(profile: Profile) -> list[str]:
    """Claims of a profile that cannot both be true, in words."""
    return [found[0] for check in CHECKS if (found := check(profile)) is not None]


def consistent(profile: Profile) -> Profile:
    """The profile without the weaker of contradicting claims; `withdrawn` says which these were."""
    withdrawn = list(profile.withdrawn)
    for check in CHECKS:
        found = check(profile)
        if found is not None:
            withdrawn.append(found[0])
            profile = found[1]
    return dataclasses.replace(profile, withdrawn=withdrawn)


def growth_against_speed(profile: Profile) -> tuple[str, Profile] | None:
    """Env steps per second rose: then no growth of the cost is worth a warning."""
    drift = profile.drift
    change = drift.throughput_change
    grows = drift.slows_down or drift.growing_stages
    if not grows or change is None or change < FASTER:
        return None
    what = first_of(drift.growing_stages) or "an env step"
    return f"{100 * change:.0f} % more env steps/s, but {what} costs more", _without_growth(profile)


def growth_against_cost(profile: Profile) -> tuple[str, Profile] | None:
    """A step as a whole does not cost more: then it does not slow down, whatever one stage does."""
    drift = profile.drift
    factor = drift.cost_factor
    if not (drift.slows_down or drift.growing_stages) or (factor is not None and factor >= COSTS_MORE):
        return None
    return "a growth is claimed, but an env step does not cost more", _without_growth(profile)


def growth_against_change(profile: Profile) -> tuple[str, Profile] | None:
    """What changed once is not said to grow."""
    drift = profile.drift
    if drift.changed is None or not (drift.slows_down or drift.growing_stages):
        return None
    return "the cost per env step changed once, and is said to grow steadily", _without_growth(profile)


def growth_against_mean(profile: Profile) -> tuple[str, Profile] | None:
    """The mean speed of a run that slows down lies below its speed at first."""
    drift, speed = profile.drift, profile.throughput.env_steps_per_second
    first = drift.us_per_env_step_first
    if not drift.slows_down or not speed or first is None or 1e6 / speed >= MEAN_AGAINST_FIRST * first:
        return None
    return "the run is said to slow down, but is faster on average than at first", _without_growth(profile)


def change_against_cost(profile: Profile) -> tuple[str, Profile] | None:
    """A change that makes a step more expensive cannot leave it cheaper at the end, nor vice versa."""
    drift = profile.drift
    changed, factor = drift.changed, drift.cost_factor
    if changed is None:
        return None
    upward = changed.factor > 1.0
    if factor is not None and (factor > 1.0 / COSTS_MORE if upward else factor < COSTS_MORE):
        return None
    text = "the cost per env step changed one way, and lies the other way at the end"
    return text, _with_drift(profile, changed=None, changed_stages=[])


def stage_ceilings(profile: Profile) -> tuple[str, Profile] | None:
    """No stage saves more than its share."""
    rows = [_below_share(row) for row in profile.stages]
    wrong = next((old.stage for old, new in zip(profile.stages, rows, strict=True) if old != new), None)
    if wrong is None:
        return None
    return f"the ceiling of {wrong} is beyond what its share allows", dataclasses.replace(
        profile, stages=rows
    )


def _below_share(row: StageRow) -> StageRow:
    share = max(row.wall_share, row.wall_share_high)
    most = 1.0 / (1.0 - share) if share < 1.0 else None
    now = row.ceiling_speedup
    if now is None or most is None or 1.0 <= now <= most * ROUNDING:
        return row
    return dataclasses.replace(row, ceiling_speedup=max(1.0, min(now, most)))


def category_ceilings(profile: Profile) -> tuple[str, Profile] | None:
    """No stage saves more than its whole category."""
    ceilings = {kind.category: kind.ceiling_speedup for kind in profile.categories}
    rows = [_below_category(row, ceilings.get(row.category)) for row in profile.stages]
    wrong = next((old.stage for old, new in zip(profile.stages, rows, strict=True) if old != new), None)
    if wrong is None:
        return None
    return f"the ceiling of {wrong} is above that of its category", dataclasses.replace(profile, stages=rows)


def _below_category(row: StageRow, most: float | None) -> StageRow:
    if row.ceiling_speedup is None or most is None or row.ceiling_speedup <= most * ROUNDING:
        return row
    return dataclasses.replace(row, ceiling_speedup=most)


def spot_ceilings(profile: Profile) -> tuple[str, Profile] | None:
    """No function saves more than its whole stage."""
    ceilings = {row.stage: row.ceiling_speedup for row in profile.stages}
    spots = [_below_stage(spot, ceilings.get(spot.stage or "")) for spot in profile.hotspots]
    wrong = next((old.function for old, new in zip(profile.hotspots, spots, strict=True) if old != new), None)
    if wrong is None:
        return None
    return f"the ceiling of {wrong} is above that of its stage", dataclasses.replace(profile, hotspots=spots)


def _below_stage(spot: Hotspot, most: float | None) -> Hotspot:
    if spot.ceiling_speedup is None or most is None or spot.ceiling_speedup <= most * ROUNDING:
        return spot
    return dataclasses.replace(spot, ceiling_speedup=most)


def _without_growth(profile: Profile) -> Profile:
    return _with_drift(profile, slows_down=False, growing_stages=[], model="constant")


def _with_drift(profile: Profile, **changes: object) -> Profile:
    drift: Drift = dataclasses.replace(profile.drift, **changes)  # type: ignore[arg-type]
    return dataclasses.replace(profile, drift=drift)


CHECKS: tuple[Check, ...] = (
    growth_against_change,
    growth_against_speed,
    growth_against_cost,
    growth_against_mean,
    change_against_cost,
    stage_ceilings,
    category_ceilings,
    spot_ceilings,
)


def finding_contradictions(profile: Profile, findings: Sequence[Finding]) -> list[str]:
    """Findings that are said to save more than everything of the kinds that they save time in."""
    found = []
    most = {kind.category: kind.ceiling_speedup for kind in profile.categories}
    for finding in findings:
        kinds = {category_of(stage) for stage in finding.saves or [finding.stage or ""] if stage}
        ceilings = [most.get(kind) for kind in kinds]
        if finding.most_speedup is None or not kinds or "" in finding.saves or None in ceilings:
            continue
        left = 1.0 - sum(1.0 - 1.0 / ceiling for ceiling in ceilings if ceiling)
        if left > 0.0 and finding.most_speedup > ROUNDING / left:
            names = " and ".join(sorted(kinds))
            found.append(f"{finding.code} {finding.most_speedup:.2f}x, but all of {names} {1.0 / left:.2f}x")
    return found


def plan_contradictions(plan: Plan) -> list[str]:
    """Steps that are said to save together less than one of them alone, or more than all of them in sum."""
    found = []
    for number in range(1, len(plan.steps) + 1):
        text = _together(plan.steps[:number])
        found += [text] if text else []
    return found


def _together(steps: Sequence[PlanStep]) -> str:
    whole = steps[-1].together_speedup
    alone = [step.finding.most_speedup for step in steps]
    known = [ceiling for ceiling in alone if ceiling is not None]
    if whole is None:
        return ""
    if known and whole * ROUNDING < max(known):
        return f"{len(steps)} steps together {whole:.2f}x, but one of them alone {max(known):.2f}x"
    left = 1.0 - sum(1.0 - 1.0 / ceiling for ceiling in known)
    if len(known) == len(alone) and left > 0 and whole > ROUNDING / left:
        return f"{len(steps)} steps together {whole:.2f}x, but in sum {1.0 / left:.2f}x at most"
    return ""
