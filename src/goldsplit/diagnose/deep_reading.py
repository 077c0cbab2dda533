"""What rules read from the deep look: its sites, what kind a function is, how to verify a remedy."""

from __future__ import annotations

import shlex
from collections import defaultdict

from goldsplit.diagnose.deep_places import bare_name, enclosing_function
from goldsplit.diagnose.rule import DRIVER, record_again
from goldsplit.diagnose.savings import sampled_function
from goldsplit.model.deep import DeepFunction, DeepLook, Site
from goldsplit.model.finding import Place
from goldsplit.model.launched import import_folder, module_of, script_of, start_folder
from goldsplit.model.pasting import our_command
from goldsplit.model.profile import Profile
from goldsplit.model.stage import (
    ACT,
    ACT_VALUE,
    ENV,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_REWARD,
    ENV_STEP,
    GAME,
    LEARN,
    REPLAY,
    VEC_COPY,
)
from goldsplit.model.usual_names import stage_of_function

#: Fewer compared calls than this say nothing about the other calls.
ENOUGH_CALLS = 50
#: From this many on, "equal every time" is certain enough for high confidence.
MANY_CALLS = 500


def confidence_of(compared: int) -> str:
    """How sure "every time" is after so many comparisons."""
    return "high" if compared >= MANY_CALLS else "medium"


def sites_of(deep: DeepLook, *kinds: str) -> list[Site]:
    """All sites of some kinds."""
    return [site for site in deep.sites if site.kind in kinds]


def by_function(sites: list[Site]) -> dict[tuple[str, str], list[Site]]:
    """Sites by the function that they are in, the most expensive line first."""
    groups: dict[tuple[str, str], list[Site]] = defaultdict(list)
    for site in sorted(sites, key=lambda site: (-(site.share or 0.0), -site.calls, site.place.line)):
        groups[site.place.file, enclosing_function(site.place.function)].append(site)
    return dict(groups)


def calls_per_step(sites: list[Site]) -> float | None:
    """Calls per env step of several lines together; None if no env steps were seen."""
    known = [site.calls_per_env_step for site in sites if site.calls_per_env_step is not None]
    return sum(known) if known else None


def stage_by_name(function: DeepFunction) -> str | None:
    """The stage that the function's name stands for."""
    return stage_of_function(function.place.function)


def is_called_for_its_effect(function: DeepFunction) -> bool:
    """Whether a function is called for what it does, not for what it returns: there is nothing to cache."""
    name, stage = bare_name(function.place.function), stage_by_name(function)
    has_result = stage in (None, ENV_OBSERVE, ENV_MASK, ENV_REWARD, ACT_VALUE)
    return not has_result or function.constant_result == "None" or name == "__init__"


def runs_the_loop(profile: Profile, function: DeepFunction) -> bool:
    """Whether steps of the training happen inside: games move, and an agent acts or learns. That it returns
    the same again (a list of ended games, mostly empty) says nothing about what it did."""
    known = sampled_function(profile, function.place)
    stages = known.stages if known is not None else {}
    plays = any(stage.startswith(ENV) for stage in stages)
    return plays and any(stage.startswith((ACT, LEARN, REPLAY)) for stage in stages)


def builds_observation_or_mask(function: DeepFunction) -> bool:
    """Whether a function builds the observation or the action mask."""
    return stage_by_name(function) in (ENV_OBSERVE, ENV_MASK)


def has_a_cache(deep: DeepLook, function: DeepFunction) -> bool:
    """Whether a function has a cache already: then its repeats are for the rules on caches."""
    here = (function.place.file, function.place.function)
    return any((cache.place.file, cache.place.function) == here for cache in deep.caches)


def callees_with_lines(sites: list[Site]) -> str:
    """Several sites of one function as text: callees with their lines."""
    lines: dict[str, set[int]] = defaultdict(set)
    for site in sites:
        lines[site.callee].add(site.place.line)
    return "; ".join(
        f"{callee} line {', '.join(map(str, sorted(where)[:6]))}" for callee, where in sorted(lines.items())
    )


def verify_command(profile: Profile, stage: str | None) -> str:
    """The command that shows that the game plays as before; outside of the environment, and where the class
    cannot be made without arguments, one that records again, to see whether the remedy helped."""
    target = env_target(profile)
    outside = stage is not None and not stage.startswith((ENV, GAME))
    if DRIVER in profile.run.command or outside or target is None:
        return record_again(profile, deep=True)
    return our_command(f"env {shlex.quote(target)} --hash", profile.run.folder)


def env_target(profile: Profile) -> str | None:
    """The environment as `goldsplit env` takes it, from the `step` that was seen; None if there was none, or
    its source does not show that it can be made without arguments and says which actions there are."""
    functions = profile.deep.functions if profile.deep is not None else []
    folder = start_folder(profile)
    for function in functions:
        file, (owner, _, name) = function.place.file, function.place.function.rpartition(".")
        known = folder and file.startswith(folder) and f"{file}:{owner}" in profile.source.drivable
        if name == "step" and known and function.stage in (ENV_STEP, VEC_COPY):
            return f"{target_module(profile, function.place.file)}:{owner}"
    return None


def target_of(profile: Profile, place: Place) -> str:
    """A function as overlays take it: `module:Class.method` as the program imports it, `__main__:name` for
    the script itself."""
    script = script_of(profile.run.command)
    main = bool(script) and place.file.endswith(f"/{script}")
    return f"{'__main__' if main else module_of(profile, place.file)}:{place.function}"


def target_module(profile: Profile, file: str) -> str:
    """How to name a file to `goldsplit env` in the folder where the run was started: as a module if the
    program also imports from that folder, else by its path."""
    folder = start_folder(profile)
    if folder == import_folder(profile) or not file.startswith(folder):
        return module_of(profile, file)
    return file.removeprefix(folder)
