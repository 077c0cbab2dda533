"""Hot functions with the calls per env step that the deep look counted."""

from __future__ import annotations

import dataclasses
from collections import defaultdict

from goldsplit.model.deep import DeepFunction
from goldsplit.model.profile import Hotspot, Profile


def with_call_counts(profile: Profile) -> Profile:
    """The same profile; a function that the deep look did not see keeps "not measured"."""
    if profile.deep is None:
        return profile
    by_name: dict[tuple[str, str], list[DeepFunction]] = defaultdict(list)
    for function in profile.deep.functions:
        by_name[function.place.file, bare(function.place.function)].append(function)
    spots = [counted(spot, by_name.get((spot.file, bare(spot.function)), [])) for spot in profile.hotspots]
    return dataclasses.replace(profile, hotspots=spots)


def counted(spot: Hotspot, alike: list[DeepFunction]) -> Hotspot:
    """A hot spot with the count of its function. Of two with one bare name the full name must agree."""
    exact = [function for function in alike if function.place.function == spot.function]
    found = exact or (alike if len(alike) == 1 else [])
    if spot.calls_per_env_step is not None or not found or not found[0].calls_per_env_step:
        return spot  # stacks show it at work, so a count of 0 only means that no whole call was in a window
    return dataclasses.replace(spot, calls_per_env_step=found[0].calls_per_env_step)


def bare(name: str) -> str:
    """A function's name without its classes: the sampler and the interpreter qualify it differently."""
    return name.rpartition(".")[2]
