"""What the calls of one function share while they differ in something else: the source of many targets.

An argument counts as a whole: numbers that together are one place (`x, y`) are one source or one target.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from goldsplit.model.deep import DeepFunction
from goldsplit.model.deep_files.deep_record import ArgumentGroup
from goldsplit.model.hot_code.function_cost import key_of
from goldsplit.model.hot_code.source_look import ArgumentSense
from goldsplit.model.profile import Profile

#: Fewer calls for one value of what is shared may be an accident.
LEAST_GROUP = 2.5


@dataclass(frozen=True, slots=True)
class Shared:
    """An argument that several calls of one step share."""

    name: str
    calls: int
    """Different calls that were seen, within single steps."""
    sources: int
    """Values of the argument, counted anew in each step."""
    most_per_source: float
    """At most so many calls for each of them."""
    several: bool
    """Whether a step had several of them."""
    certain: bool
    """Whether the source of the function says that it stands for a thing, or is one whole place."""

    @property
    def calls_per_source(self) -> float:
        """As they were seen."""
        return self.calls / self.sources


def shared_by_calls(profile: Profile, function: DeepFunction) -> Shared | None:
    """What most calls share; None if nothing is shared while something else differs.

    First choice: something with several values in a step. Else something with a single value per step that is
    another one in other steps; but not a board or a list, which every call is given."""
    sense = profile.source.senses.get(key_of(function.place), ArgumentSense())
    seen = {group.place: group for group in function.arguments}
    found = []
    wholes = [tuple(place for place in one if place in seen) for one in sense.places]
    taken = {place for one in wholes for place in one}
    wholes = [one for one in wholes if one] + [(place,) for place in seen if place not in taken]
    for one in wholes:
        groups = [seen[place] for place in one]
        others = [seen[place] for other in wholes if other != one for place in other]
        if not any(group.groups > group.steps for group in others):
            continue  # nothing but this differs: it is asked about alone
        several = any(group.groups > group.steps for group in groups)
        changes = any(group.values > 1 and 2 * group.simple_steps > group.steps for group in groups)
        if several or changes:
            found.append(_shared(function, sense, one, groups, several))
    return max(found, key=lambda one: (one.several, one.calls_per_source), default=None)


def _shared(
    function: DeepFunction,
    sense: ArgumentSense,
    places: tuple[int, ...],
    groups: Sequence[ArgumentGroup],
    several: bool,
) -> Shared:
    """Of several coordinates only each one's values were counted: there are at most as many places as
    combinations of them, and at least as many as values of one."""
    calls, steps = groups[0].calls, max(1, groups[0].steps)
    fewest = max(group.groups for group in groups)
    most = min(calls, round(steps * math.prod(group.groups / steps for group in groups)))
    by_count = (
        (function.calls_per_env_step or 0.0) * steps / fewest
    )  # a burst may end in the middle of a step
    names = [sense.names[place] if place < len(sense.names) else f"argument {place}" for place in places]
    whole = any(places == one for one in sense.places)
    told_apart = calls >= LEAST_GROUP * most
    return Shared(
        name=", ".join(names),
        calls=calls,
        sources=max(fewest, most) if told_apart else fewest,
        most_per_source=max(1.0, calls / fewest, by_count),
        several=several,
        certain=(whole and told_apart) or (len(places) == 1 and places[0] in sense.things),
    )
