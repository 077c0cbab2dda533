"""What something seen by the deep look costs the whole run: its share of wall time and its ceiling.

A window is slower than the run around it, most of all where calls are short. So a share of the windows is
never used as it is. It only says which fraction of its stage something was; this fraction is applied to the
stage's share of wall time, which is measured without the deep look. Where the sampler saw the function often
enough, the sampled share is used instead: it is of the whole run, and sampling does not slow calls down.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from goldsplit.analyse.stacks.frame_stages import wilson
from goldsplit.diagnose.certainty import FEWEST_TO_NAME
from goldsplit.diagnose.deep_places import bare_name, enclosing_function, function_at
from goldsplit.diagnose.rule import row_of
from goldsplit.diagnose.savings import sampled_function, speedup_without
from goldsplit.model.deep import CacheUse, DeepFunction, DeepLook, Site
from goldsplit.model.finding import Place
from goldsplit.model.hot_code.function_cost import FunctionCost, key_of
from goldsplit.model.profile import Hotspot, Profile

#: Less than this share of wall time is not even listed under "not worth your time".
LEAST_SHARE = 0.005

#: With this many samples of a function, they say reliably where it runs and for how long.
ENOUGH_SAMPLES = 20
#: So many hits, and so many misses of a cache must have been timed, to say what each costs.
ENOUGH_TIMED = 50


@dataclass(frozen=True, slots=True)
class Cost:
    """What something costs the run."""

    share: float
    """Of the steady phase's wall time."""
    ceiling_speedup: float | None
    """Speed-up of the whole run if it cost nothing."""
    saves: dict[str, float] = field(default_factory=dict)
    """Stage → its part of the share; "" for time in no stage."""
    low: float | None = None
    high: float | None = None
    """The interval of the share, where samples tell it."""

    @property
    def worth_mentioning(self) -> bool:
        """Whether it costs enough to be mentioned at all."""
        return self.share >= LEAST_SHARE

    @property
    def figures(self) -> dict[str, Any]:
        """The fields of a finding that say what it costs."""
        return {
            "share": self.share,
            "ceiling_speedup": self.ceiling_speedup,
            "saves": self.saves,
            "share_low": self.low,
            "share_high": self.high,
        }


def cost_of_function(profile: Profile, function: DeepFunction, part: float = 1.0) -> Cost:
    """What a function costs the run with all that it calls, or a part of its cost (0..1); from samples if
    there are enough."""
    known = well_sampled(profile, function.place)
    if known is not None:
        return cost_of_sampled(profile, known, part)
    return cost_of(profile, function.place, function.stage, function.total_share * part)


def cost_of_sampled(profile: Profile, known: FunctionCost, part: float = 1.0) -> Cost:
    """What a part (0..1) of a sampled function's calls costs the run, in all stages that it runs in."""
    saves = {stage: share * part for stage, share in known.stages.items()}
    whole = _cost(profile, saves)
    scale = whole.share / known.share if known.share > 0.0 else 0.0
    return dataclasses.replace(whole, low=known.share_low * scale, high=min(1.0, known.share_high * scale))


def well_sampled(profile: Profile, place: Place) -> FunctionCost | None:
    """The samples of a function, if there are enough of them."""
    known = sampled_function(profile, dataclasses.replace(place, function=enclosing_function(place.function)))
    return known if known is not None and known.samples >= ENOUGH_SAMPLES else None


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
    known = row.stage if row is not None else ""
    return _cost(profile, {known: min(scaled, sampled_limit(profile, place))})


def _cost(profile: Profile, saves: Mapping[str, float]) -> Cost:
    """Shares of stages, each limited to what its stage takes, and their ceiling."""
    room = {row.stage: row.wall_share for row in profile.stages}
    known = {stage: share for stage, share in saves.items() if stage in room}
    loose = sum(share for stage, share in saves.items() if stage not in room)
    kept = {stage: max(0.0, min(share, room[stage])) for stage, share in known.items()}
    if loose > 0.0:
        kept[""] = min(loose, outside_of_spans(profile))
    share = min(1.0, sum(kept.values()))
    return Cost(share, speedup_without(profile, kept) if share < 1.0 else None, kept)


def main_stage_of(profile: Profile, place: Place, stage: str | None) -> str | None:
    """The stage in which a function mostly runs: by its samples if there are enough, else `stage`."""
    known = well_sampled(profile, place)
    if known is None:
        return stage
    return max(known.stages, key=lambda one: known.stages[one]) or stage


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
    known = well_sampled(profile, place)
    return known.share_high if known is not None else 1.0


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
    saves: dict[str, float] = {}
    for place, stage, window_share, callee in parts:
        cost = cost_of(profile, place, stage, window_share)
        limit = callee_limit(profile, callee)
        for one, share in cost.saves.items():
            saves[one] = saves.get(one, 0.0) + min(share, limit)
    return _cost(profile, saves)


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
    """What the calls on several lines of one function cost: by samples on these lines if there are enough,
    else by the windows, where sites without a measured time count as 0."""
    sites = list(sites)
    known = well_sampled(profile, place)
    if known is not None:
        sampled = cost_of_lines(profile, known, {site.place.line for site in sites})
        if sampled is not None:
            return sampled
    shares: dict[tuple[str | None, str], float] = {}
    for site in sites:
        key = (site.stage, site.callee)
        shares[key] = shares.get(key, 0.0) + (site.share or 0.0)
    return cost_of_several(
        profile, [(place, stage, share, callee) for (stage, callee), share in shares.items()]
    )


def cost_of_checks(profile: Profile, sites: Iterable[Site]) -> Cost:
    """What checking the arguments of distributions costs, wherever the program makes or asks them, without
    the rest of the line. Few samples leave a wide interval; in it, the windows' share of the making is the
    guess."""
    sites = list(sites)
    saves: dict[str, float] = {}
    low = high = 0.0
    seen = {one.key for one in profile.functions}
    for one in profile.functions:
        here = [site for site in sites if key_of(_function_of(site)) == one.key]
        if not here and not one.checks_samples:
            continue
        parts, share = one.checks, sum(one.checks.values())
        if one.checks_samples < FEWEST_TO_NAME:
            guess = cost_of_several(profile, [(s.place, s.stage, s.share or 0.0, s.callee) for s in here])
            share = min(max(guess.share, share), one.checks_high)
            whole = sum(guess.saves.values())
            parts = {k: v / whole * share for k, v in guess.saves.items()} if whole else parts
        for stage, part in parts.items():
            saves[stage] = saves.get(stage, 0.0) + part
        low, high = low + min(share, one.checks_low), high + max(share, one.checks_high)
    unseen = [site for site in sites if key_of(_function_of(site)) not in seen]
    guess = cost_of_several(profile, [(s.place, s.stage, s.share or 0.0, s.callee) for s in unseen])
    for stage, part in guess.saves.items():
        saves[stage] = saves.get(stage, 0.0) + part
    cost = _cost(profile, saves)
    if not high:
        return cost
    return dataclasses.replace(cost, low=low + guess.share, high=max(cost.share, high + guess.share))


def _function_of(site: Site) -> Place:
    return dataclasses.replace(site.place, function=enclosing_function(site.place.function))


def cost_of_lines(
    profile: Profile, known: FunctionCost, lines: Iterable[int], own: bool = False, saved: float = 1.0
) -> Cost | None:
    """What some lines of a sampled function cost with all that they call, or (`own`) without the user's own
    functions that they call; of that the part that is `saved`. None on too few samples."""
    shares = known.own_lines if own else known.lines
    part = sum(shares.get(line, 0.0) for line in lines) / known.share
    count = part * known.samples
    if count < FEWEST_TO_NAME:
        return None
    cost = cost_of_sampled(profile, known, part * saved)
    low, high = wilson(min(count, known.samples), known.samples)
    return dataclasses.replace(cost, low=saved * low * known.share_low, high=saved * high * known.share_high)


def cost_of_cache(profile: Profile, cache: CacheUse, us: float) -> Cost:
    """What `us` microseconds of all the time spent with a cache (keys and values) cost the run. Where too few
    hits or misses were timed to tell them apart: all of it, at most."""
    asking_us = (cache.hits + cache.misses) * (cache.key_us or 0.0) + cache.misses * (cache.value_us or 0.0)
    if profile.deep is None or asking_us <= 0.0:
        return Cost(0.0, None)
    part = min(1.0, us / asking_us) if min(cache.hits, cache.misses) >= ENOUGH_TIMED else 1.0
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
    if function.inclusive_us is not None:
        return function.inclusive_us
    seconds = deep.seconds / (deep.slowdown or 1.0)
    return function.total_share * seconds * 1e6 / function.calls if function.calls else 0.0


def sampled_call_us(profile: Profile, function: DeepFunction) -> float | None:
    """Microseconds of one call by samples of the whole run, which looking does not disturb; None: too few."""
    known = well_sampled(profile, function.place)
    steps = profile.throughput.steady_env_steps
    if known is None or not steps or not function.calls_per_env_step:
        return None
    return known.share * profile.phases.steady_seconds * 1e6 / (steps * function.calls_per_env_step)
