"""What the rules on the deep look ask it: functions, sites, whose they are, how to check a remedy."""

from __future__ import annotations

import shlex
from collections import defaultdict

from goldsplit.diagnose.deep_places import bare, enclosing
from goldsplit.diagnose.rule import DRIVER, record_again
from goldsplit.model.deep import DeepFunction, DeepLook, Site
from goldsplit.model.launched import import_folder, module_of, start_folder
from goldsplit.model.naming import stage_of_function
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ACT_VALUE, ENV, ENV_MASK, ENV_OBSERVE, ENV_REWARD, ENV_STEP, GAME, VEC_COPY

#: Fewer compared calls than this say nothing about the others.
ENOUGH_CALLS = 50
#: From this many on, "equal every time" is firm.
MANY_CALLS = 500


def confidence_of(compared: int) -> str:
    """How sure "every time" is after so many comparisons."""
    return "high" if compared >= MANY_CALLS else "medium"


def sites_of(deep: DeepLook, *kinds: str) -> list[Site]:
    """All sites of some kinds."""
    return [site for site in deep.sites if site.kind in kinds]


def by_function(sites: list[Site]) -> dict[tuple[str, str], list[Site]]:
    """Sites by the function that they are in, the dearest line first."""
    groups: dict[tuple[str, str], list[Site]] = defaultdict(list)
    for site in sorted(sites, key=lambda site: (-(site.share or 0.0), -site.calls, site.place.line)):
        groups[site.place.file, enclosing(site.place.function)].append(site)
    return dict(groups)


def calls_per_step(sites: list[Site]) -> float | None:
    """Calls per env step of several lines together; None if no env steps were seen."""
    known = [site.calls_per_env_step for site in sites if site.calls_per_env_step is not None]
    return sum(known) if known else None


def usual_stage(function: DeepFunction) -> str | None:
    """The stage that the function's name stands for."""
    return stage_of_function(function.place.function)


def is_an_act(function: DeepFunction) -> bool:
    """Whether a function is called for what it does, not for what it answers: nothing to be cached."""
    stage = usual_stage(function)
    answers = stage in (None, ENV_OBSERVE, ENV_MASK, ENV_REWARD, ACT_VALUE)
    return not answers or function.constant_result == "None" or bare(function.place.function) == "__init__"


def shows_the_game(function: DeepFunction) -> bool:
    """Whether a function builds the observation or the action mask."""
    return usual_stage(function) in (ENV_OBSERVE, ENV_MASK)


def asks_a_cache(deep: DeepLook, function: DeepFunction) -> bool:
    """Whether a function has a cache already: what repeats there is for the rules on caches."""
    here = (function.place.file, function.place.function)
    return any((cache.place.file, cache.place.function) == here for cache in deep.caches)


def lines_of(sites: list[Site]) -> str:
    """Where several sites of one function are, for reading: callees with their lines."""
    lines: dict[str, set[int]] = defaultdict(set)
    for site in sites:
        lines[site.callee].add(site.place.line)
    return "; ".join(
        f"{callee} line {', '.join(map(str, sorted(where)[:6]))}" for callee, where in sorted(lines.items())
    )


def check_the_game(profile: Profile, stage: str | None) -> str:
    """The command that shows that a remedy kept the game, or, outside of the environment, that it helped."""
    target = env_target(profile)
    outside = stage is not None and not stage.startswith((ENV, GAME))
    if DRIVER in profile.run.command or outside or target is None:
        return record_again(profile, deep=True)
    return f"goldsplit env {shlex.quote(target)} --hash"


def env_target(profile: Profile) -> str | None:
    """The environment as `goldsplit env` takes it, from the `step` that was seen; None if none was."""
    functions = profile.deep.functions if profile.deep is not None else []
    for function in functions:
        owner, _, name = function.place.function.rpartition(".")
        if name == "step" and owner and "<" not in owner and function.stage in (ENV_STEP, VEC_COPY):
            return f"{target_module(profile, function.place.file)}:{owner}"
    return None


def target_module(profile: Profile, file: str) -> str:
    """How a file is named to `goldsplit env` in the folder that the run was started in: as a module where the
    program imports from that folder too, else by its path."""
    folder = start_folder(profile)
    if folder == import_folder(profile) or not file.startswith(folder):
        return module_of(profile, file)
    return file.removeprefix(folder)
