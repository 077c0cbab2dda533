"""What something seen by the deep look costs the whole run: its share of wall time and its ceiling.

A window is slower than the run around it, most of all where calls are short. So a share of the windows is
never used as it is. It only says which fraction of its stage something was; this fraction is applied to the
stage's share of wall time, which is measured without the deep look. Where the sampler saw the function often
enough, the sampled share is used instead: it is of the whole run, and sampling does not slow calls down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.deep_places import bare_name, function_at, hotspot_at
from goldsplit.diagnose.rule import row_of
from goldsplit.model.deep import CacheUse, DeepFunction, DeepLook, Site
from goldsplit.model.finding import Place
from goldsplit.model.profile import Hotspot, Profile

#: Less than this share of wall time is not even listed under "not worth your time".
LEAST_SHARE = 0.005

#: With this many samples of a function, they say reliably where it runs and for how long.
ENOUGH_SAMPLES = 20


@dataclass(frozen=True, slots=True)
class Cost:
    """What something costs the run."""

    share: float
    """Of the steady phase's wall time."""
    ceiling_speedup: float | None
    """Speed-up of the whole run if it cost nothing."""

    @property
    def worth_mentioning(self) -> bool:
        """Whether it costs enough to be mentioned at all."""
        return self.share >= LEAST_SHARE


def cost_of_function(profile: Profile, function: DeepFunction, part: float = 1.0) -> Cost:
    """What a function costs the run, or a part of its cost (0..1); from samples if there are enough."""
    spot = hotspot_at(profile, function.place)
    if spot is not None and spot.samples >= ENOUGH_SAMPLES:
        stage = main_stage_of(profile, function.place, function.stage)
        return _cost(profile, stage, spot.total_share * part)
    return cost_of(profile, function.place, function.stage, function.total_share * part)


def cost_of(profile: Profile, place: Place, stage: str | None, window_share: float) -> Cost:
    """What a share of the windows' time, spent at a place in a stage, costs the run."""
    if profile.deep is None or window_share <= 0.0:
        return Cost(0.0, None)
    stage = main_stage_of(profile, place, stage)
    row = row_of(profile, stage) if stage is not None else None
    in_windows = stage_share(profile.deep, stage)
    scaled = (
        row.wall_share * window_share / in_windows if row is not None and in_windows > 0.0 else window_share
    )
    return _cost(profile, stage, min(scaled, sampled_limit(profile, place)))


def _cost(profile: Profile, stage: str | None, share: float) -> Cost:
    """A share of wall time, limited to what its stage takes, and its ceiling."""
    row = row_of(profile, stage) if stage is not None else None
    whole = row.wall_share if row is not None else outside_of_spans(profile)
    share = max(0.0, min(share, whole))
    if row is None or whole <= 0.0:
        return Cost(share, 1.0 / (1.0 - share) if share < 1.0 else None)
    return Cost(share, speedup_if(profile, {row.stage: 1.0 - share / whole}))


def main_stage_of(profile: Profile, place: Place, stage: str | None) -> str | None:
    """The stage in which a function mostly runs: by its samples if there are enough, else `stage`."""
    spot = hotspot_at(profile, place)
    known = spot is not None and spot.samples >= ENOUGH_SAMPLES and spot.stage is not None
    return spot.stage if spot is not None and known else stage


def outside_of_spans(profile: Profile) -> float:
    """Wall share that no span covers: the deep look sees it without a stage."""
    sampled = sum(row.wall_share for row in profile.stages if row.source == "sampled")
    return profile.unattributed.wall_share + sampled


def stage_share(deep: DeepLook, stage: str | None) -> float:
    """A stage's share of the windows' time: as recorded, or what the functions seen in it add up to."""
    recorded = deep.extra.get("stage_shares")
    if isinstance(recorded, dict) and (stage or "") in recorded:
        return float(recorded[stage or ""])
    return sum(function.self_share for function in deep.functions if function.stage == stage)


def sampled_limit(profile: Profile, place: Place) -> float:
    """The largest share of wall time that the samples of this function allow; 1 without samples."""
    spot = hotspot_at(profile, place)
    return upper_bound(spot) if spot is not None else 1.0


def upper_bound(spot: Hotspot) -> float:
    """A sampled share plus two standard errors: an estimate, because samples weigh differently by stage."""
    if spot.samples < ENOUGH_SAMPLES or spot.self_share <= 0.0:
        return 1.0
    samples = spot.samples / spot.self_share
    spread = math.sqrt(max(spot.total_share * (1.0 - spot.total_share), 1.0 / samples) / samples)
    return min(1.0, spot.total_share + 2.0 * spread)


def cost_of_several(profile: Profile, parts: Iterable[tuple[Place, str | None, float, str]]) -> Cost:
    """The cost of several things that do not contain each other. Each is given by place, stage, share of the
    windows, and what is called there ("" for the function itself)."""
    shares: dict[str | None, float] = {}
    for place, stage, window_share, callee in parts:
        stage = main_stage_of(profile, place, stage)
        known = stage if stage is not None and row_of(profile, stage) is not None else None
        cost = min(cost_of(profile, place, stage, window_share).share, callee_limit(profile, callee))
        shares[known] = shares.get(known, 0.0) + cost
    total = min(1.0, sum(shares.values()))
    remaining = {
        row.stage: max(0.0, 1.0 - shares[row.stage] / row.wall_share)
        for row in profile.stages
        if row.stage in shares and row.wall_share > 0.0
    }
    if None in shares or not remaining:
        return Cost(total, 1.0 / (1.0 - total) if total < 1.0 else None)
    return Cost(total, speedup_if(profile, remaining))


def callee_limit(profile: Profile, callee: str) -> float:
    """The largest share that the samples of a library's function allow, all its callers together."""
    named = [spot for spot in profile.hotspots if bare_name(spot.library or "") == bare_name(callee)]
    alone = [
        spot
        for spot in profile.hotspots
        if spot.kind != "yours" and not spot.library and bare_name(spot.function) == bare_name(callee)
    ]
    if not named:
        return max((upper_bound(spot) for spot in alone), default=1.0)
    return min(1.0, sum(upper_bound(spot) for spot in (*named, *alone)))


def cost_of_sites(profile: Profile, sites: Iterable[Site], place: Place) -> Cost:
    """What the calls on several lines of one function cost; sites without a measured time count as 0."""
    shares: dict[tuple[str | None, str], float] = {}
    for site in sites:
        key = (site.stage, site.callee)
        shares[key] = shares.get(key, 0.0) + (site.share or 0.0)
    return cost_of_several(
        profile, [(place, stage, share, callee) for (stage, callee), share in shares.items()]
    )


def cost_of_cache(profile: Profile, cache: CacheUse, us: float) -> Cost:
    """What `us` microseconds of all the time spent with a cache (keys and values) cost the run."""
    asking_us = (cache.hits + cache.misses) * (cache.key_us or 0.0) + cache.misses * (cache.value_us or 0.0)
    if profile.deep is None or asking_us <= 0.0:
        return Cost(0.0, None)
    part = min(1.0, us / asking_us)
    function = function_at(profile.deep, cache.place)
    if function is not None and function.total_share > 0.0:
        return cost_of_function(profile, function, part)
    return cost_of(profile, cache.place, cache.stage, (cache.share or 0.0) * part)


def repeated_part(function: DeepFunction) -> float:
    """Part of a function's time that its repeated calls took."""
    if function.total_share <= 0.0:
        return 0.0
    return min(1.0, function.repeat_share / function.total_share)


def call_us(deep: DeepLook, function: DeepFunction) -> float:
    """Microseconds of one call of a function with its callees, without the cost of the deep look."""
    seconds = deep.seconds / (deep.slowdown or 1.0)
    return function.total_share * seconds * 1e6 / function.calls if function.calls else 0.0
